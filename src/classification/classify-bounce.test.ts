import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { type Blame, BOUNCE_CLASSES, type BounceClass } from './bounce-classes.ts'
import { parseBounceRules } from './bounce-rule.ts'
import { BOUNCE_RULES } from './bounce-rules.ts'
import { createBounceClassifier } from './classify-bounce.ts'

const classify = createBounceClassifier()

/** Replies of many kinds of mail servers: code, enhanced code, text. */
const SAMPLES: Readonly<Partial<Record<BounceClass, readonly (readonly [number | undefined, string, string])[]>>> = {
  InvalidRecipient: [
    [550, '5.1.1', 'The email account that you tried to reach does not exist. Please check for typos.'],
    [550, '5.1.1', '<x@example.org>: Recipient address rejected: User unknown in virtual mailbox table'],
    [550, '5.1.10', 'RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup'],
    [550, '', 'No such user here'],
    [550, '', 'Invalid recipient <x@example.org>'],
    [550, '', 'Requested action not taken: mailbox unavailable'],
    [554, '5.7.1', 'delivery error: dd This user doesn’t have an account, not a valid mailbox'],
    [550, '5.7.1', '<x@example.org>... user unknown'],
    [553, '', 'sorry, no mailbox here by that name'],
    [550, '', 'Unrouteable address'],
    [550, '5.4.1', 'Recipient address rejected: Unknown recipient'],
    [511, '5.1.1', 'unknown address or alias'],
    [550, '5.1.3', ''],
    [undefined, '5.1.1', 'unknown user: "x"'],
    [550, '5.1.1', '<spam-virus-policy@full-mailbox.example.org>: User unknown'],
  ],
  InactiveMailbox: [
    [550, '5.2.1', 'The email account that you tried to reach is disabled.'],
    [550, '5.2.1', 'mailbox is inactive and does not accept messages'],
    [554, '', 'account x@example.org has been suspended'],
    [550, '5.1.1', 'recipient mailbox is no longer active'],
    [525, '5.7.13', ''],
    [450, '4.2.1', 'The user you are trying to contact is currently disabled, account locked'],
  ],
  QuotaIssues: [
    [452, '4.2.2', 'The recipient’s inbox is out of storage space.'],
    [552, '5.2.2', 'Mailbox full'],
    [550, '', 'user x is over quota'],
    [552, '', 'Quota exceeded'],
    [552, '', ''],
    [554, '5.2.2', 'mailbox exceeded its limit'],
    [422, '', 'account is over its quota'],
  ],
  BadDomain: [
    [550, '5.1.2', 'Bad destination system address'],
    [556, '5.1.10', 'Recipient address has a null MX'],
    [
      undefined,
      '5.4.4',
      'Host or domain name not found. Name service error for name=example.invalid type=AAAA: Host not found',
    ],
    [550, '', 'domain example.org does not exist'],
    [550, '', 'no such domain at this server'],
    [undefined, '5.1.0', 'all relevant MX records point to non-existent hosts'],
  ],
  DNSFailure: [
    [
      undefined,
      '4.4.3',
      'Host or domain name not found. Name service error for name=example.org type=MX: Host not found, try again',
    ],
    [451, '4.4.3', 'directory server failure'],
    [undefined, '', 'host lookup did not complete'],
    [451, '4.4.4', "MX didn't resolve to any hosts"],
    [451, '', 'DNS timeout while checking'],
    [400, '', 'failed to resolve example.org: SERVFAIL'],
  ],
  SpamBlock: [
    [550, '5.7.1', 'Service unavailable; client host [192.0.2.1] blocked using zen.spamhaus.org'],
    [554, '5.7.1', 'Your IP has been blocked, see our help page'],
    [421, '4.7.0', 'Our system has detected an unusual rate of unsolicited mail originating from your IP address.'],
    [
      550,
      '5.7.1',
      'Unfortunately, messages from [192.0.2.1] were not sent. Part of their network is on our block list (S3140).',
    ],
    [554, '', 'refused due to poor sender reputation'],
    [550, '', '192.0.2.1 is listed at a DNSBL'],
    [550, '5.1.1', 'Recipient rejected: sending IP is blacklisted'],
    [553, '5.7.2', 'mail from 192.0.2.1 blocked, client IP is currently banned'],
  ],
  SpamContent: [
    [550, '5.7.1', 'Our system has detected that this message is likely unsolicited mail.'],
    [554, '5.7.1', 'Message rejected as spam by content filtering'],
    [552, '', 'spam message rejected'],
    [550, '', 'This message was classified as SPAM and may not be delivered'],
    [554, '', 'rejected: phishing detected'],
    [554, '5.7.1', 'A URL in this message is listed by SURBL'],
  ],
  SpamRelated: [
    [554, '5.7.1', 'anti-spam gateway refused'],
    [550, '', 'SPAM'],
  ],
  VirusRelated: [
    [554, '5.7.1', 'virus Eicar-Test-Signature detected'],
    [550, '', 'infected with malware'],
  ],
  ProhibitedAttachment: [
    [552, '5.7.0', 'This message was blocked because its content presents a potential security issue.'],
    [550, '', 'attachment type .exe is not allowed'],
    [554, '', 'banned attachment: invoice.scr'],
  ],
  ContentRelated: [
    [552, '5.3.4', 'Message size exceeds fixed limit'],
    [552, '5.2.3', 'Your message is too large for this mailbox'],
    [554, '5.6.0', 'message content rejected'],
    [550, '5.3.4', ''],
  ],
  AuthenticationFailed: [
    [550, '5.7.26', 'This mail has been blocked because the sender is unauthenticated.'],
    [550, '5.7.1', 'Unauthenticated email from example.org is not accepted due to the domain’s DMARC policy.'],
    [554, '5.7.5', 'permanent error evaluating DMARC policy, check failed'],
    [550, '5.7.23', 'SPF check failed for 192.0.2.1'],
    [530, '5.7.0', 'Authentication required'],
    [535, '', ''],
    [550, '', 'DKIM signature missing'],
    [550, '5.7.515', ''],
  ],
  RelayDenied: [
    [554, '5.7.1', '<x@example.org>: Relay access denied'],
    [550, '', 'relaying not permitted'],
    [550, '5.7.64', 'TenantAttribution; Relay Access Denied'],
    [551, '', ''],
    [553, '', 'sorry, we do not relay for you'],
    [551, '5.7.1', 'user not local; please try another path'],
  ],
  RelayingIssues: [[550, '', 'relay host problem, relaying failed']],
  InvalidSender: [
    [450, '4.1.8', '<a@example.org>: Sender address rejected: Domain not found'],
    [550, '', 'Sender verify failed'],
    [553, '5.1.8', 'Domain of sender address a@example.org does not exist'],
    [501, '5.1.7', 'Invalid sender address'],
    [550, '5.7.27', ''],
  ],
  TransientFailure: [
    [450, '4.2.0', '<x@example.org>: Recipient address rejected: Greylisted, see our web page'],
    [451, '4.7.1', 'Greylisting in action, please come back later'],
    [421, '4.7.0', 'Try again later, closing connection.'],
    [421, '', 'too many concurrent connections from your host'],
    [450, '4.2.1', 'The user you are trying to contact is receiving mail too quickly.'],
    [452, '4.3.1', 'Insufficient system storage'],
    [451, '4.3.0', 'Temporary lookup failure'],
    [421, '', 'server busy'],
    [450, '', ''],
    [451, '', 'something nobody has seen before'],
    [454, '', 'rate limited'],
  ],
  TooManyRecipients: [
    [452, '4.5.3', 'Too many recipients'],
    [550, '5.5.3', ''],
    [552, '', 'too many recipients for one message'],
  ],
  NoAnswerFromHost: [
    [400, '', 'connect to mx.example.org[192.0.2.7]:25: Connection timed out'],
    [undefined, '4.4.1', 'connect to mx.example.org[192.0.2.7]:25: No route to host'],
    [400, '', 'failed to connect to any candidate hosts: mx.example.org'],
    [400, '', 'Network is unreachable'],
    [451, '4.4.1', ''],
  ],
  BadConnection: [
    [undefined, '4.4.1', 'connect to mx.example.org[192.0.2.7]:25: Connection refused'],
    [undefined, '4.4.2', 'lost connection with mx.example.org[192.0.2.7] while sending RCPT TO'],
    [421, '4.4.2', 'mx.example.org Error: timeout exceeded, timed out while waiting'],
    [undefined, '4.7.5', 'Cannot start TLS: handshake failure'],
    [400, '', 'KumoMTA internal: failed to send message'],
    [421, '4.4.2', ''],
    [undefined, '', 'SMTP timeout: timed out after sending data block'],
  ],
  BadConfiguration: [
    [undefined, '4.7.5', 'Server certificate not trusted'],
    [554, '5.3.5', ''],
    [451, '', 'server configuration problem'],
    [554, '', 'no reverse DNS for your address'],
    [550, '5.7.25', ''],
  ],
  RoutingErrors: [
    [554, '5.4.6', 'Too many hops'],
    [undefined, '5.4.6', 'mail for example.org loops back to myself'],
    [550, '5.4.4', ''],
    [554, '', 'mail loop detected'],
  ],
  MessageExpired: [
    [551, '5.4.7', 'Next delivery time would be 7 days after creation, which exceeds max_age=7d'],
    [undefined, '', 'retry timeout exceeded'],
    [undefined, '4.4.7', ''],
    [550, '5.4.300', 'Message expired'],
  ],
  ProtocolErrors: [
    [500, '5.5.1', 'Command unrecognized'],
    [503, '', 'bad sequence of commands'],
    [501, '', 'Syntax error in parameters'],
    [554, '5.5.2', 'bare LF received'],
    [502, '', ''],
  ],
  PolicyRelated: [
    [550, '5.7.1', 'Message rejected per our policy'],
    [554, '5.7.1', '<x@example.org>: Recipient address rejected: Access denied'],
    [550, '5.7.28', 'mail flood detected'],
    [550, '5.7.0', ''],
  ],
  AutoReply: [[undefined, '', 'Automatic reply: I am out of the office']],
  ChallengeResponse: [[undefined, '', 'please click here to confirm that you sent this message']],
  Uncategorized: [
    [550, '', ''],
    [554, '', 'Transaction failed'],
    [550, '', 'Administrative reasons 4711'],
    [undefined, '', ''],
    [571, '', 'no'],
    [553, '', ''],
    [553, '', 'something nobody has seen before'],
  ],
}

describe('a failure is classified by its text, then its enhanced code, then its code', () => {
  for (const [expected, samples] of Object.entries(SAMPLES)) {
    test(expected, () => {
      for (const [code, enhancedCode, text] of samples)
        assert.equal(classify({ code, enhancedCode, text }), expected, `${code} ${enhancedCode} ${text}`)
    })
  }
})

test('there are samples for every class that a rule gives', () => {
  const given = new Set(BOUNCE_RULES.map((rule) => rule.class))
  for (const name of given) assert.ok(SAMPLES[name], name)
  assert.equal(Object.keys(BOUNCE_CLASSES).length, 29)
})

test('the manual lists every class under what it blames', () => {
  const manual = readFileSync(join(import.meta.dirname, '../../docs/connectors/classes-and-providers.md'), 'utf8')
  const rows: Readonly<Record<Blame, string>> = {
    recipient: 'the recipient',
    sender: 'the sender',
    content: 'the message',
    infrastructure: 'networks, DNS, servers',
    nobody: 'nobody',
    unknown: 'unknown',
  }
  for (const [name, blame] of Object.entries(BOUNCE_CLASSES)) {
    const row = manual.split('\n').find((line) => line.startsWith(`| ${rows[blame]} |`))
    assert.ok(row?.includes(`\`${name}\``), name)
  }
})

test('no failure of networks, DNS or servers blames the recipient', () => {
  for (const [name, samples] of Object.entries(SAMPLES)) {
    if (BOUNCE_CLASSES[name as BounceClass] !== 'infrastructure') continue
    for (const [code, enhancedCode, text] of samples) {
      const found = classify({ code, enhancedCode, text: `${text} for <someone@example.org>` })
      assert.notEqual(BOUNCE_CLASSES[found as BounceClass], 'recipient', text)
    }
  }
})

test('no address is blamed for its sender, for a host, or for a limit', () => {
  const replies: readonly (readonly [number | undefined, string, string])[] = [
    [550, '5.2.1', 'You are sending mail at a rate that we cannot accept'],
    [450, '4.1.1', 'Please try again'],
    [450, '4.2.1', ''],
    [452, '4.1.1', '<x@example.org> too many recent messages'],
    [550, '', 'Your account has been suspended'],
    [550, '', 'Message sending for this account is disabled'],
    [550, '', 'the account of the sender: sender account is locked'],
    [550, '', 'connect to address 192.0.2.1: connection closed'],
    [550, '', "the recipient server's certificate has expired"],
    [550, '', 'Your IP address is not listed in our allow list'],
    [550, '', 'Invalid IP address'],
    [550, '', 'invalid HELO address'],
    [450, '4.7.1', '<mail.example.com>: Helo command rejected: Host not found'],
    [554, '5.7.1', 'unknown[192.0.2.25]: Client host rejected: unknown host'],
    [550, '', 'reply-to address invalid'],
    [550, '', 'The domain you are sending from does not exist'],
    [550, '', 'Sending domain does not exist'],
    [550, '', "The sender's domain was not found"],
    [553, '', 'sorry, your envelope sender is in a domain that does not exist'],
    [550, '', 'your domain has no valid MX'],
    [550, '', 'HELO domain does not exist'],
    [550, '', 'DKIM key not found for domain example.com'],
    [550, '', 'no SPF record: domain not found'],
    [550, '', 'your hostname does not exist'],
    [550, '', 'We do not accept mail over IPv6'],
    [550, '', 'We do not accept mail with such attachments'],
    [550, '', 'this server does not accept mail at this time'],
    [553, '5.7.1', 'not allowed here'],
    [432, '4.3.2', 'recipient thread limit exceeded'],
  ]
  for (const [code, enhancedCode, text] of replies) {
    const found = classify({ code, enhancedCode, text })
    const blamed = ['InvalidRecipient', 'InactiveMailbox', 'BadDomain', 'QuotaIssues'].includes(found)
    assert.ok(!blamed, `${code} ${enhancedCode} ${text}: ${found}`)
  }
})

test('an enhanced code at the start of the text counts', () => {
  assert.equal(classify({ code: 550, text: '5.1.1 no' }), 'InvalidRecipient')
  assert.equal(classify({ text: '550 5.2.2 no' }), 'QuotaIssues')
  assert.equal(classify({ code: 550, text: 'version 5.1.1 no' }), 'Uncategorized')
  assert.equal(classify({ code: 550, text: '#5.1.1 no' }), 'InvalidRecipient')
})

test('qmail writes the enhanced code at the end', () => {
  assert.equal(classify({ code: 550, text: 'sorry, no (#5.1.1)' }), 'InvalidRecipient')
  assert.equal(classify({ code: 550, text: 'sorry (#5.1.1), no' }), 'Uncategorized')
})

test('only the first thousand characters of a text are read', () => {
  const noise = 'we are sorry. '.repeat(100)
  assert.equal(classify({ code: 550, text: `${noise.slice(0, 980)}no such user` }), 'InvalidRecipient')
  assert.equal(classify({ code: 550, text: `${noise.slice(0, 1000)}no such user` }), 'Uncategorized')
})

test('the processor time of a text grows with its length, not with its square', () => {
  // Words that begin many of the patterns and complete none.
  const words = 'mailbox address domain message sender rejected from your host account '.repeat(20)
  let count = 0
  const measure = (length: number) => {
    const rounds = Array.from({ length: 5 }, () => {
      const started = process.cpuUsage()
      // Never the same text twice: the classifier remembers its answers.
      for (let round = 0; round < 40; round++) classify({ code: 550, text: `${count++} ${words}`.slice(0, length) })
      const { user, system } = process.cpuUsage(started)
      return user + system
    })
    return Math.min(...rounds)
  }
  measure(900)
  const [half, whole] = [measure(450), measure(900)]
  assert.ok(whole < 3.5 * half, `${half} µs for 450 characters, ${whole} µs for 900`)
})

describe("the operator's rules", () => {
  const parse = (rules: readonly object[]) => parseBounceRules(JSON.stringify({ rules }))

  test('come before ours, may use labels of their own, and the first match wins', () => {
    const own = createBounceClassifier(
      parse([
        { class: 'PartnerQuota', code: '552', text: 'partner' },
        { class: 'SpamBlock', code: ['5xx'], enhanced: ['5.1.x', '5.9.9'] },
        { class: 'never', code: '552', text: 'partner' },
      ]),
    )
    assert.equal(own({ code: 552, enhancedCode: '5.1.1', text: 'PARTNER mailbox' }), 'PartnerQuota')
    assert.equal(own({ code: 550, enhancedCode: '5.1.1', text: 'user unknown' }), 'SpamBlock')
    assert.equal(own({ code: 450, enhancedCode: '5.1.1', text: 'user unknown' }), 'InvalidRecipient')
    assert.equal(own({ code: 550, text: 'user unknown' }), 'InvalidRecipient')
  })

  test('are rejected with all their problems at once', () => {
    const bad = [
      { class: '', text: '(' },
      { class: 'A', code: '55', enhanced: '5.1' },
      { klass: 'B', text: 'x' },
      { class: 'C' },
      { class: 'D', text: [] },
      7,
    ]
    assert.throws(() => parseBounceRules(JSON.stringify({ rules: bad })), {
      message:
        'has 9 problems: rules[0]: class: must be a non-empty string; ' +
        'rules[0]: text: "(" is not a valid regular expression; ' +
        'rules[1]: code: "55" must be three digits, x for any digit; ' +
        'rules[1]: enhanced: "5.1" must look like 5.1.1, x for any number; ' +
        'rules[2]: unknown name "klass" (known: class, code, enhanced, text); ' +
        'rules[2]: class: must be a non-empty string; rules[3]: matches everything: add code, enhanced or text; ' +
        'rules[4]: text: must be a string or a list of strings; rules[5]: must be an object',
    })
  })

  test('must be JSON, an object with one list', () => {
    assert.throws(() => parseBounceRules('{'), /^Error: is not valid JSON: /)
    for (const json of ['[]', '{}', '{"rules": {}}', '{"rules": [], "more": 1}', '"rules"'])
      assert.throws(() => parseBounceRules(json), /one JSON object with one list/)
  })
})
