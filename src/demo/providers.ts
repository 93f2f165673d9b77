/** The receiving side of generated mail: providers, their hosts, and what they reply in real life. */
import type { BounceClass } from '../classification/bounce-classes.ts'

export interface Reply {
  readonly weight: number
  readonly code: number
  /** Empty if the receiver sends none. */
  readonly enhanced: string
  /** `{id}`, `{host}`, `{recipient}` and `{ip}` are filled in. */
  readonly text: string
  /** What the classifier finds for such a reply. */
  readonly classification: BounceClass
}

export interface Provider {
  readonly weight: number
  readonly name: string
  readonly recipientDomains: readonly string[]
  readonly peers: readonly string[]
  readonly tls: readonly { readonly weight: number; readonly version: string; readonly cipher: string }[]
  readonly accepted: string
  readonly acceptedEnhanced: string
  readonly deferrals: readonly Reply[]
  readonly refusals: readonly Reply[]
  /** The reply to most mail from the address that has a poor reputation there. */
  readonly throttled?: Reply
  /** Whether it reports complaints to senders. */
  readonly hasFeedbackLoop: boolean
}

const TLS13_AES256 = { weight: 8, version: 'TLSv1.3', cipher: 'TLS_AES_256_GCM_SHA384' }
const TLS13_AES128 = { weight: 3, version: 'TLSv1.3', cipher: 'TLS_AES_128_GCM_SHA256' }
const TLS12_ECDHE = { weight: 1, version: 'TLSv1.2', cipher: 'ECDHE-RSA-AES256-GCM-SHA384' }
const TLS12_CHACHA = { weight: 1, version: 'TLSv1.2', cipher: 'ECDHE-RSA-CHACHA20-POLY1305' }

/** One reply per line: weight, code, enhanced code or -, class, text. */
function replies(table: string): readonly Reply[] {
  return [...table.matchAll(/(\d+) (\d{3}) (\S+) +(\w+) +(.*)/g)].map(
    ([, weight, code, enhanced = '', classification, text = '']) => ({
      weight: Number(weight),
      code: Number(code),
      enhanced: enhanced === '-' ? '' : enhanced,
      text,
      classification: classification as BounceClass,
    }),
  )
}

function throttledBy(line: string): Pick<Provider, 'throttled'> {
  const [throttled] = replies(line)
  return throttled ? { throttled } : {}
}

export const PROVIDERS: readonly Provider[] = [
  {
    weight: 42,
    name: 'Google',
    recipientDomains: ['gmail.com', 'gmail.com', 'gmail.com', 'googlemail.com'],
    peers: ['gmail-smtp-in.l.google.com', 'alt1.gmail-smtp-in.l.google.com', 'alt2.gmail-smtp-in.l.google.com'],
    tls: [TLS13_AES256, TLS13_AES128],
    accepted: 'OK {id} - queued for the mailbox',
    acceptedEnhanced: '2.0.0',
    deferrals: replies(`
      2 421 4.7.28  SpamBlock            Gmail has detected an unusual rate of mail originating from your IP address {ip}. {id} - gsmtp
      3 421 4.3.0   TransientFailure     Temporary System Problem. Try again later. {id} - gsmtp
      4 450 4.2.1   TransientFailure     The user you are trying to contact is receiving mail too quickly. {id} - gsmtp`),
    refusals: replies(`
      7 550 5.1.1   InvalidRecipient     The email account that you tried to reach does not exist. {id} - gsmtp
      2 552 5.2.2   QuotaIssues          The recipient's inbox is out of storage space and inactive. {id} - gsmtp
      2 550 5.7.26  AuthenticationFailed Your email has been blocked because the sender is unauthenticated. {id} - gsmtp
      2 550 5.7.1   SpamContent          Gmail has detected that this message is likely unsolicited mail. {id} - gsmtp`),
    hasFeedbackLoop: false,
  },
  {
    weight: 24,
    name: 'Microsoft',
    recipientDomains: ['outlook.com', 'hotmail.com', 'live.com', 'msn.com'],
    peers: [
      'outlook-com.olc.protection.outlook.com',
      'hotmail-com.olc.protection.outlook.com',
      'live-com.olc.protection.outlook.com',
    ],
    tls: [TLS13_AES256, TLS12_ECDHE],
    accepted: '<{id}> [Hostname={host}] Queued mail for delivery',
    acceptedEnhanced: '2.6.0',
    deferrals: replies(`
      3 451 4.7.500 TransientFailure     Server busy. Please try again later from [{ip}]. (AS77712344) [{host}]
      1 421 4.3.2   TransientFailure     Service not available, closing transmission channel [{host}]`),
    refusals: replies(`
      3 550 5.5.0   InvalidRecipient     Requested action not taken: mailbox unavailable (S2017062302). [{host}]
      3 550 5.4.1   InvalidRecipient     Recipient address rejected: Access denied. [{host}]
      3 550 5.7.1   SpamBlock            Unfortunately, messages from [{ip}] weren't sent. Part of their network is on our block list (S3140). [{host}]
      1 554 5.2.2   QuotaIssues          mailbox full; STOREDRV.Deliver.Exception:QuotaExceededException [{host}]`),
    ...throttledBy(`
      1 451 4.7.650 SpamBlock            The mail server [{ip}] has been temporarily rate limited due to IP reputation. (S843) [{host}]`),
    hasFeedbackLoop: true,
  },
  {
    weight: 11,
    name: 'Yahoo',
    recipientDomains: ['yahoo.com', 'ymail.com', 'aol.com'],
    peers: ['mta5.am0.yahoodns.net', 'mta6.am0.yahoodns.net', 'mta7.am0.yahoodns.net'],
    tls: [TLS13_AES128, TLS13_AES256],
    accepted: 'ok dirdel {id}',
    acceptedEnhanced: '',
    deferrals: replies(`
      5 421 4.7.0   SpamBlock            [TSS04] Messages from {ip} temporarily deferred due to unexpected volume or user complaints - 4.16.55.1
      2 451 -       TransientFailure     {host} Resources temporarily unavailable. Please try again later [#4.16.1].`),
    refusals: replies(`
      6 554 -       InvalidRecipient     delivery error: dd Not a valid recipient - {host}
      3 554 5.7.9   PolicyRelated        Message not accepted for policy reasons.
      2 554 -       InactiveMailbox      30 Sorry, your message to {recipient} cannot be delivered. This mailbox is disabled (554.30).`),
    hasFeedbackLoop: true,
  },
  {
    weight: 7,
    name: 'Apple',
    recipientDomains: ['icloud.com', 'me.com', 'mac.com'],
    peers: ['mx01.mail.icloud.com', 'mx02.mail.icloud.com'],
    tls: [TLS13_AES256, TLS12_CHACHA],
    accepted: 'Ok: queued as {id}',
    acceptedEnhanced: '2.0.0',
    deferrals: replies(`
      3 421 4.7.1   TransientFailure     Messages to {recipient} deferred due to excessive volume. Try again later`),
    refusals: replies(`
      5 550 5.1.1   InvalidRecipient     <{recipient}>: user does not exist
      2 554 5.7.1   PolicyRelated        [HM08] Message rejected due to local policy.
      1 552 5.2.2   QuotaIssues          <{recipient}>: user is over quota`),
    hasFeedbackLoop: false,
  },
  {
    weight: 8,
    name: 'GMX',
    recipientDomains: ['gmx.net', 'gmx.de', 'web.de'],
    peers: ['mx00.emig.gmx.net', 'mx01.emig.gmx.net', 'mx-ha02.web.de'],
    tls: [TLS13_AES256],
    accepted: 'Requested mail action okay, completed: id={id}',
    acceptedEnhanced: '',
    deferrals: replies(`
      3 421 -       TransientFailure     Rate limit reached. Please try again later.
      3 451 -       TransientFailure     Requested action aborted: local error in processing`),
    refusals: replies(`
      5 550 -       InvalidRecipient     Requested action not taken: mailbox unavailable
      2 554 -       SpamBlock            Transaction failed IP address is block listed.
      1 552 -       QuotaIssues          Requested mail action aborted: exceeded storage allocation Quota exceeded.`),
    hasFeedbackLoop: true,
  },
  {
    weight: 8,
    name: 'Other',
    recipientDomains: ['northwind.example', 'contoso.example', 'tailspin.example', 'initech.example', 'globex.example'],
    peers: [
      'mx1.northwind.example',
      'mail.contoso.example',
      'mx.tailspin.example',
      'inbound.initech.example',
      'mx10.globex.example',
    ],
    tls: [TLS12_ECDHE, TLS12_CHACHA, TLS13_AES256],
    accepted: 'Ok: queued as {id}',
    acceptedEnhanced: '2.0.0',
    deferrals: replies(`
      6 450 4.2.0   TransientFailure     <{recipient}>: Recipient address rejected: Greylisted
      2 452 4.3.1   TransientFailure     Insufficient system storage`),
    refusals: replies(`
      5 550 5.1.1   InvalidRecipient     <{recipient}>: Recipient address rejected: User unknown in local recipient table
      2 554 5.7.1   SpamBlock            Service unavailable; Client host [{ip}] blocked using zen.spamhaus.org; https://www.spamhaus.org/query/ip/{ip}
      1 554 5.7.1   RelayDenied          <{recipient}>: Relay access denied
      1 552 5.3.4   ContentRelated       Message size exceeds fixed limit`),
    hasFeedbackLoop: false,
  },
]

/** Recorded by the sending server if there was no SMTP reply. */
export const CONNECTION_FAILURES = replies(`
      1 400 -       BadConnection        lost connection with {host} while receiving the initial server greeting
      1 400 -       NoAnswerFromHost     connect to {host}:25: Connection timed out
      1 400 -       BadConnection        Cannot start TLS with {host}: handshake failure`)
