import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sampleDomain } from '../../test/harness/app/sample-domain.ts'
import { writeComplaint, writeDeliveryReport } from '../../test/harness/mail/written-report.ts'
import { createKnowledge } from '../classification/knowledge.ts'
import { readReport } from '../connectors/report/read-report.ts'
import type { Domain } from '../domains/domain.ts'
import type { EmailEvent } from '../events/event.ts'
import { listMessagePages } from '../events/log/list-pages.ts'
import { AppError } from '../lib/app-error.ts'
import { createSigner } from '../lib/sealing/signer.ts'
import { openMemoryStorage } from '../storage/memory/open-memory-storage.ts'
import type { Storage } from '../storage/storage.ts'
import { createTenant } from '../tenants/create-tenant.ts'
import type { Tenant } from '../tenants/tenant.ts'
import { createReferences, type References, type Subject } from './reference.ts'
import type { Report } from './report.ts'
import { createReportIntake, REPORT_BYTES_MAX } from './report-intake.ts'
import { makeFullReference, makeReturnPath } from './return-path.ts'
import { TIE_LIMITS } from './tie-budget.ts'

const NOW_MS = Date.UTC(2026, 0, 15, 12)
const NOW = NOW_MS / 1000
const ID = '01890a5d-ac96-774b-bcce-b302099a8057'
const BOB = 'bob@example.org'
const CAROL = 'carol@example.org'

const signer = createSigner(Buffer.alloc(32, 7), 'report reference')
const references = createReferences(signer)
const bobs: Subject = { domain: 'acme.test', messageId: ID, recipient: BOB }
const whole: Subject = { domain: 'acme.test', messageId: ID }
const returnPath = makeReturnPath(references, bobs, 'bounces.acme.test')
const failed = (recipient: string, more: object = {}) => ({ outcomes: [{ recipient, ...more }], timeMs: NOW_MS })

/** A log in which one message to the given recipients was delivered. */
async function openIntake({
  recipients = [BOB, CAROL],
  allowsUnsigned = true,
  messageId = ID,
  signedBy = references,
  nowMs = NOW_MS,
  read = readReport,
} = {}) {
  const clock = () => nowMs
  const storage = openMemoryStorage({ clock, serviceMessageIdField: 'service_message_id' })
  const tenant = await createTenant({ keys: storage.control.keys, clock }, 'Acme')
  const domain = await addBareDomain(storage, tenant, 'acme.test')
  await addBareDomain(storage, tenant, 'rival.test')
  const deliver = (...delivered: readonly string[]) =>
    storage.log.append(
      delivered.map((recipient, index) => ({
        domainNumber: domain.number,
        event: {
          id: messageId,
          timestamp: NOW - 60 + Math.floor(index / 100),
          type: 'Delivery' as const,
          domain_name: 'acme.test',
          recipient,
        },
      })),
    )
  for (const recipient of recipients) await deliver(recipient)
  const createIntake = (own: References) =>
    createReportIntake({
      ...storage.control,
      log: storage.log,
      clock,
      retentionMs: 90 * 86_400_000,
      serviceMessageIdField: 'service_message_id',
      references: own,
      allowsUnsigned,
      knowledge: createKnowledge(),
      readReport: read,
    })
  const ownIntake = (own: References) => {
    const intake = createIntake(own)
    const source = { kind: 'smtp', name: '192.0.2.1' } as const
    return {
      examine: (message: Uint8Array) => intake.examine(message, source),
      ingest: (message: Uint8Array) => intake.ingest(message, source),
    }
  }
  return {
    ...ownIntake(signedBy),
    withReferences: ownIntake,
    storage,
    deliver,
    quarantined: async () => storage.control.quarantine.list({ afterId: 0, limit: 100 }),
    /** Events added by reports, oldest first. */
    reported: async () => {
      const found: EmailEvent[] = []
      for await (const texts of listMessagePages(storage.log, [domain], messageId)) {
        found.push(...texts.map((text) => JSON.parse(text) as EmailEvent))
      }
      return found.filter(({ type }) => type !== 'Delivery').toReversed()
    },
    [Symbol.asyncDispose]: () => storage.close(),
  }
}

function addBareDomain(storage: Storage, tenant: Tenant, name: string): Promise<Domain> {
  return storage.control.domains.create(sampleDomain(tenant.id, name, { isApproved: true, isVerified: true }))
}

describe('a report becomes events', () => {
  test('a failure is an OOBBounce with code, text and class, and is stored once, even if it is sent again', async () => {
    await using intake = await openIntake()
    const report = writeDeliveryReport({
      to: returnPath,
      ...failed(BOB),
      returned: ['From: Acme <hello@acme.test>', 'Subject: Hi'],
    })
    assert.deepEqual(await intake.ingest(report), {
      kind: 'delivery',
      outcome: 'tied',
      stored: 1,
      duplicates: 0,
      rejected: [],
    })
    assert.partialDeepStrictEqual(await intake.ingest(report), { stored: 0, duplicates: 1, rejected: [] })
    assert.deepEqual(await intake.reported(), [
      {
        id: ID,
        timestamp: NOW,
        type: 'OOBBounce',
        domain_name: 'acme.test',
        recipient: BOB,
        sender: returnPath,
        from: 'Acme <hello@acme.test>',
        subject: 'Hi',
        response_code: 550,
        response_content: 'no such user',
        response_enhanced_code: '5.1.1',
        peer_name: 'mx.example.org',
        bounce_classification: 'InvalidRecipient',
        direction: 'outbound',
      },
    ])
  })

  test('a delay is a Delayed with code 400 and no class', async () => {
    await using intake = await openIntake()
    const outcome = { action: 'delayed', status: '4.4.1', diagnostic: 'smtp; 451 4.4.1 later' }
    await intake.ingest(writeDeliveryReport({ to: returnPath, ...failed(BOB, outcome) }))
    const [event] = await intake.reported()
    assert.partialDeepStrictEqual(event, { type: 'Delayed', response_code: 400, response_content: 'later' })
    assert.equal(event?.bounce_classification, undefined)
  })

  test('a delivered, relayed or expanded action is neither an event nor quarantined', async () => {
    await using intake = await openIntake()
    for (const action of ['delivered', 'relayed', 'expanded']) {
      const result = await intake.ingest(writeDeliveryReport({ to: returnPath, ...failed(BOB, { action }) }))
      assert.deepEqual(result, { kind: 'delivery', outcome: 'ignored', stored: 0, duplicates: 0, rejected: [] })
    }
    for (const type of ['not-spam', 'auth-failure']) {
      const report = writeComplaint({ to: returnPath, timeMs: NOW_MS })
      const other = Buffer.from(report.toString().replace('Feedback-Type: abuse', `Feedback-Type: ${type}`))
      assert.equal((await intake.ingest(other)).outcome, 'ignored')
    }
    assert.deepEqual(await intake.quarantined(), [])
  })

  test('a complaint is a Feedback, of the recipient of the return path if the provider redacts it', async () => {
    await using intake = await openIntake()
    const fields = [
      `Original-Mail-From: <${returnPath}>`,
      'Original-Rcpt-To: redacted-1',
      'Reporting-MTA: dns; mx.isp.test',
    ]
    const result = await intake.ingest(writeComplaint({ to: 'fbl@acme.test', timeMs: NOW_MS, fields }))
    assert.partialDeepStrictEqual(result, { kind: 'feedback', outcome: 'tied', stored: 1 })
    const [event] = await intake.reported()
    assert.partialDeepStrictEqual(event, {
      type: 'Feedback',
      recipient: BOB,
      sender: returnPath,
      peer_name: 'mx.isp.test',
    })
  })

  test('the first plausible time counts; without a date it is the time of arrival', async () => {
    await using intake = await openIntake()
    const report = writeDeliveryReport({ to: returnPath, ...failed(BOB) }).toString()
    const ancient = report.replace('Action: failed', 'Last-Attempt-Date: 1 Jan 1998 00:00:00 +0000\r\nAction: failed')
    await intake.ingest(Buffer.from(ancient))
    assert.equal((await intake.reported())[0]?.timestamp, NOW)
    const dateless = writeDeliveryReport({
      to: returnPath,
      ...failed(BOB, { action: 'delayed' }),
      timeMs: 0,
    }).toString()
    await intake.ingest(Buffer.from(dateless.replace(/^Date: .*\r\n/m, '')))
    assert.partialDeepStrictEqual((await intake.reported())[1], { type: 'Delayed', timestamp: NOW })
  })

  test('a time is plausible within the retention period, and up to an hour from now', async () => {
    const report = writeDeliveryReport({ to: returnPath, ...failed(BOB) }).toString()
    const oldest = NOW - 90 * 86_400
    for (const [attempted, timestamp] of [
      [oldest, oldest],
      [oldest - 1, NOW],
      [NOW + 3600, NOW + 3600],
      [NOW + 3601, NOW],
    ] as const) {
      await using intake = await openIntake()
      const date = new Date(attempted * 1000).toUTCString().replace('GMT', '+0000')
      await intake.ingest(Buffer.from(report.replace('Action: failed', `Last-Attempt-Date: ${date}\r\nAction: failed`)))
      assert.equal((await intake.reported())[0]?.timestamp, timestamp, date)
    }
  })
})

describe('a bounce message in free text', () => {
  const write = (to: string, ...words: readonly string[]) =>
    Buffer.from(
      [
        'From: MAILER-DAEMON@mx.example.org',
        `To: ${to}`,
        'Subject: failure notice',
        '',
        'Your message could not be delivered.',
        '',
        ...words,
      ].join('\r\n'),
    )
  const both = [`<${CAROL}>: 552 mailbox is full`, `<${BOB}>: 550 no such user`]
  const wholePath = makeReturnPath(references, whole, 'bounces.acme.test')

  test('that lists several recipients is an event of the signed one, with the words about that one', async () => {
    await using intake = await openIntake()
    assert.equal((await intake.ingest(write(returnPath, ...both))).outcome, 'tied')
    const events = await intake.reported()
    assert.equal(events.length, 1)
    assert.partialDeepStrictEqual(events[0], { recipient: BOB, response_code: 550, response_content: 'no such user' })
  })

  test('that does not name the signed recipient is one event of that recipient', async () => {
    await using intake = await openIntake()
    await intake.ingest(write(returnPath, '<x@forward.test>: 550 no such user', '<y@forward.test>: 552 is full'))
    assert.deepEqual(
      (await intake.reported()).map(({ recipient }) => recipient),
      [BOB],
    )
  })

  test('with a reference for the whole message needs to name one recipient, or list each with a reason', async () => {
    await using intake = await openIntake()
    const { rejected } = await intake.ingest(write(wholePath, `We know ${BOB} and ${CAROL}.`))
    assert.match(rejected[0]?.error ?? '', /not a known recipient of the message/)
    assert.deepEqual(await intake.reported(), [])
    await intake.ingest(write(wholePath, `Ask ${CAROL}.`))
    assert.deepEqual(
      (await intake.reported()).map(({ recipient }) => recipient),
      [CAROL],
    )
    await intake.ingest(write(wholePath, ...both))
    assert.equal((await intake.reported()).filter(({ response_code }) => response_code === 550).length, 1)
  })

  test('without a signature is quarantined, even if the log has the id that it returns', async () => {
    await using intake = await openIntake()
    const copy = [
      '',
      '--- Below this line is a copy of the message.',
      '',
      'From: <a@acme.test>',
      `Message-ID: <${ID}@x>`,
    ]
    const result = await intake.ingest(write('bounces@acme.test', ...both, ...copy))
    assert.partialDeepStrictEqual(result, { kind: 'delivery', outcome: 'quarantined', stored: 0 })
  })

  test('counts by the signed header of the copy in its text', async () => {
    await using intake = await openIntake()
    const header = `X-Envelog-Ref: ${makeFullReference(references, bobs)}`
    const copy = ['', 'Original message follows.', '', 'Subject: Your invoice', header, `To: ${BOB}`]
    await intake.ingest(write('bounces@acme.test', 'Ask us why.', ...copy))
    assert.partialDeepStrictEqual((await intake.reported())[0], { recipient: BOB, subject: 'Your invoice' })
  })
})

describe('a report is tied to its message', () => {
  const full = makeFullReference(references, bobs)
  const from = 'From: hello@acme.test'
  const trace = Buffer.from(JSON.stringify({ '_@_': '\\_/', recipient: BOB, x_envelog_id: ID })).toString('base64')
  const signedTrace = Buffer.from(JSON.stringify({ '_@_': '\\_/', x_envelog_ref: full })).toString('base64')
  const ways: Record<string, Parameters<typeof writeDeliveryReport>[0]> = {
    'by the address that it was sent to': { to: returnPath, ...failed(BOB) },
    'by that address in capitals': { to: returnPath.toUpperCase(), ...failed(BOB) },
    'by the return path of the message that it returns': { ...failed(BOB), returned: [`Return-Path: <${returnPath}>`] },
    'by its envelope id': { ...failed(BOB), envelopeId: full },
    'by our header': { ...failed(BOB), returned: [`X-Envelog-Ref: ${full}`] },
    "by a reference in KumoMTA's trace header": { ...failed(BOB), returned: [`X-KumoRef: ${signedTrace}`] },
    'by the recipient that is no longer named, because the message was forwarded': {
      to: returnPath,
      ...failed('x@y.test'),
    },
    'by the id of a message in the log, as envelope id': { ...failed(BOB), envelopeId: ID, returned: [from] },
    'by the id of a message in the log, as envelope id, where nothing of the message is returned': {
      ...failed(BOB),
      to: 'b4711@bounces.acme.test',
      envelopeId: ID,
    },
    "by the id of a message in the log, in KumoMTA's trace header": {
      ...failed(BOB),
      returned: [from, `X-KumoRef: ${trace}`],
    },
    'by the id of a message in the log, in its Message-ID': {
      ...failed(BOB),
      returned: [from, `Message-ID: <${ID}@acme.test>`],
    },
  }
  for (const [way, report] of Object.entries(ways)) {
    test(way, async () => {
      await using intake = await openIntake()
      assert.equal((await intake.ingest(writeDeliveryReport(report))).outcome, 'tied')
      assert.partialDeepStrictEqual(await intake.reported(), [{ id: ID, recipient: BOB, type: 'OOBBounce' }])
    })
  }

  test('the signed return path comes before everything else in a report', async () => {
    await using intake = await openIntake()
    const other = { ...bobs, messageId: 'another-message-of-ours' }
    const returned = [from, `X-Envelog-Ref: ${makeFullReference(references, other)}`, `Message-ID: <${ID}@acme.test>`]
    const envelopeId = makeFullReference(references, other)
    await intake.ingest(writeDeliveryReport({ to: returnPath, envelopeId, returned, ...failed(BOB) }))
    assert.equal((await intake.reported()).length, 1)
  })

  test('before the log has the message, if the reference was signed for the recipient', async () => {
    await using intake = await openIntake({ recipients: [] })
    assert.equal((await intake.ingest(writeDeliveryReport({ to: returnPath, ...failed(BOB) }))).stored, 1)
  })

  test('by a reference to the message as a whole, for each recipient in the log; the others are quarantined', async () => {
    await using intake = await openIntake()
    const to = makeReturnPath(references, whole, 'bounces.acme.test')
    const outcomes = [BOB, CAROL, 'eve@example.org'].map((recipient) => ({ recipient }))
    const report = writeDeliveryReport({ to, outcomes, timeMs: NOW_MS })
    const result = await intake.ingest(report)
    assert.partialDeepStrictEqual(result, { outcome: 'quarantined', stored: 2 })
    assert.match(result.rejected[0]?.error ?? '', /names "eve@example\.org", not a known recipient of the message/)
    assert.equal((await intake.quarantined()).length, 1)
    await intake.deliver('eve@example.org')
    assert.partialDeepStrictEqual(await intake.ingest(report), { outcome: 'tied', stored: 1, duplicates: 2 })
  })

  test('by a reference to the message as a whole, for its only recipient if a forwarder reports another', async () => {
    await using intake = await openIntake({ recipients: [BOB] })
    const to = makeReturnPath(references, whole, 'bounces.acme.test')
    await intake.ingest(writeDeliveryReport({ to, ...failed('robert@elsewhere.test') }))
    assert.partialDeepStrictEqual(await intake.reported(), [{ recipient: BOB }])
  })
})

describe('a forged report affects no message and is quarantined', () => {
  const from = 'From: hello@acme.test'
  const mac = (digit: string) => returnPath.replace(/-[0-9a-f]{20}@/, `-${digit.repeat(20)}@`)
  const forgeries: Record<string, Parameters<typeof writeDeliveryReport>[0]> = {
    'with addresses alone': { to: 'bounces@acme.test', ...failed(BOB), returned: [from, `To: ${BOB}`] },
    'with a signature of its own': { to: mac('a'), ...failed(BOB) },
    'with the signature of another domain': { to: returnPath.replace('acme', 'rival'), ...failed(BOB) },
    'with the signature of another message': { to: returnPath.replace('8057', '8058'), ...failed(BOB) },
    'with an envelope id and a recipient of another message': {
      ...failed('eve@example.org'),
      envelopeId: ID,
      returned: [from],
    },
    'with an id that the domain does not have': { ...failed(BOB), envelopeId: ID, returned: ['From: a@rival.test'] },
    'with a Message-ID that nobody issued': {
      ...failed(BOB),
      returned: [from, 'Message-ID: <something-made-up@acme.test>'],
    },
    'with nothing at all': { outcomes: [], timeMs: NOW_MS },
  }
  for (const [forgery, report] of Object.entries(forgeries)) {
    test(forgery, async () => {
      await using intake = await openIntake()
      const message = writeDeliveryReport(report)
      assert.partialDeepStrictEqual(await intake.ingest(message), { outcome: 'quarantined', stored: 0, duplicates: 0 })
      assert.deepEqual(await intake.reported(), [])
      const [kept] = await intake.quarantined()
      assert.ok(Buffer.from(kept?.payload ?? []).equals(message))
      assert.equal(kept?.connector, 'report')
    })
  }

  test('the return path of one recipient proves nothing about another', async () => {
    await using intake = await openIntake()
    const outcomes = [{ recipient: BOB }, { recipient: CAROL }]
    const result = await intake.ingest(writeDeliveryReport({ to: returnPath, outcomes, timeMs: NOW_MS }))
    assert.partialDeepStrictEqual(result, { stored: 1, outcome: 'quarantined' })
    assert.partialDeepStrictEqual(await intake.reported(), [{ recipient: BOB }])
    await intake.ingest(writeDeliveryReport({ to: returnPath, ...failed(CAROL) }))
    assert.equal(
      (await intake.reported()).some(({ recipient }) => recipient === CAROL),
      false,
    )
  })

  test('an easily guessed id proves nothing, and no id does if signatures are required', async () => {
    await using guessable = await openIntake({ messageId: 'order-1001' })
    const report = (id: string) => writeDeliveryReport({ ...failed(BOB), envelopeId: id, returned: [from] })
    assert.equal((await guessable.ingest(report('order-1001'))).outcome, 'quarantined')
    await using strict = await openIntake({ allowsUnsigned: false })
    assert.equal((await strict.ingest(report(ID))).outcome, 'quarantined')
    const [kept] = await strict.quarantined()
    assert.match(kept?.reason ?? '', /count only with ENVELOG_REPORT_PROOF=issued/)
    await strict.ingest(report('another-id-of-enough-length'))
    assert.equal((await strict.quarantined()).at(-1)?.reason, 'the report has no signed reference')
    assert.equal((await strict.ingest(writeDeliveryReport({ to: returnPath, ...failed(BOB) }))).outcome, 'tied')
  })
})

test('a report with many references and recipients costs few signatures', async () => {
  let signatures = 0
  const sign = (text: string) => {
    signatures += 1
    return signer.sign(text)
  }
  await using intake = await openIntake({ signedBy: createReferences({ ...signer, sign }) })
  const guess = (n: number) => `To: <l${ID}${n}-${'0'.repeat(20)}@a.b.c.d.e.f.g.acme.test>\r\n`
  const outcomes = Array.from({ length: 200 }, (_, n) => ({ recipient: `r${n}@example.org` }))
  const report = writeDeliveryReport({ outcomes, timeMs: NOW_MS })
  const guesses = Array.from({ length: 20 }, (_, n) => guess(n)).join('')
  assert.equal((await intake.ingest(Buffer.concat([Buffer.from(guesses), report]))).outcome, 'quarantined')
  assert.ok(signatures <= TIE_LIMITS.signatures, `${signatures} signatures`)
  const [kept] = await intake.quarantined()
  assert.match(kept?.reason ?? '', /no signed reference among those checked; it has too many/)
})

test('a complaint that fills a message with recipients costs no signature at all, sent or replayed', async () => {
  let signatures = 0
  const sign = (text: string) => {
    signatures += 1
    return signer.sign(text)
  }
  await using intake = await openIntake({ signedBy: createReferences({ ...signer, sign }) })
  const fields = Array.from({ length: 4900 }, (_, n) => `Original-Rcpt-To: ${n}@b.co`)
  const forged = (n: number) => `l${ID}${n}-${'0'.repeat(20)}@bounces.acme.test`
  const to = Array.from({ length: 10 }, (_, n) => forged(n)).join('>, <')
  const complaint = writeComplaint({ to, fields, timeMs: NOW_MS }).subarray(0, REPORT_BYTES_MAX)
  for (const round of ['sent', 'replayed']) {
    const result = await intake.ingest(complaint)
    assert.partialDeepStrictEqual(result, { kind: 'feedback', outcome: 'quarantined', stored: 0 }, round)
    assert.match(result.rejected[0]?.error ?? '', /the report names more than 50 recipients/)
  }
  assert.equal(signatures, 0)
})

describe('a message with more recipients than a report may read', () => {
  const many = Array.from({ length: TIE_LIMITS.events + 200 }, (_, n) => `r${n}@example.org`)
  const openMailing = async () => {
    const intake = await openIntake({ recipients: [] })
    await intake.deliver(...many)
    return intake
  }

  test('is tied by a reference to the message as a whole, for a recipient that the report names', async () => {
    await using intake = await openMailing()
    const to = makeReturnPath(references, whole, 'bounces.acme.test')
    // The oldest: it is not among those that are read.
    for (const recipient of [many[0] ?? '', many.at(-1) ?? '']) {
      const result = await intake.ingest(writeDeliveryReport({ to, ...failed(recipient) }))
      assert.partialDeepStrictEqual(result, { outcome: 'tied', stored: 1 }, recipient)
    }
    assert.equal((await intake.ingest(writeDeliveryReport({ to, ...failed(BOB) }))).outcome, 'quarantined')
  })

  test('costs no more than a message with fewer, whoever it is signed for', async () => {
    let signatures = 0
    const sign = (text: string) => {
      signatures += 1
      return signer.sign(text)
    }
    await using intake = await openMailing()
    const counted = intake.withReferences(createReferences({ ...signer, sign }))
    const to = returnPath.replace(/-[0-9a-f]{20}@/, `-${'0'.repeat(20)}@`)
    assert.equal((await counted.ingest(writeDeliveryReport({ to, ...failed(BOB) }))).outcome, 'quarantined')
    assert.ok(signatures > 100 && signatures <= TIE_LIMITS.signatures, `${signatures} signatures`)
  })
})

test('a report with many rejected outcomes is quarantined once, with a reason of limited length', async () => {
  await using intake = await openIntake()
  const outcomes = Array.from({ length: 200 }, (_, n) => ({ recipient: `r${n}@example.org` }))
  const to = makeReturnPath(references, whole, 'bounces.acme.test')
  // Too old for the log: each event is rejected.
  await intake.ingest(writeDeliveryReport({ to, outcomes: [{ recipient: BOB }, { recipient: CAROL }], timeMs: 0 }))
  await intake.ingest(writeDeliveryReport({ to, outcomes, timeMs: NOW_MS }))
  const [old, unknown] = await intake.quarantined()
  assert.equal(old?.times, 1)
  assert.equal(unknown?.times, 1)
  assert.ok((unknown?.reason.length ?? 0) <= 1000)
})

describe('what a report takes is estimated by its size, and by its words if it has no fields for programs', () => {
  const base = { sentTo: [], times: [], returned: { to: [], references: [] } }
  const workOf = async (report: Report, length: number) => {
    await using intake = await openIntake({ read: () => report })
    return (await intake.examine(Buffer.alloc(length))).workMs
  }

  test('of one that is not examined further', async () => {
    const excess = 'too much of something'
    const outcomes = [{ addresses: [BOB], action: 'failed' as const }]
    const feedback = { ...base, kind: 'feedback' as const, feedbackType: 'abuse', recipients: [], excess }
    const delivery = { ...base, kind: 'delivery' as const, outcomes, excess }
    const size = 100_000
    assert.equal(await workOf(feedback, size), 2 + 1)
    assert.equal(await workOf(delivery, size), 2 + 1)
    assert.equal(await workOf({ ...delivery, isFreeText: true }, size), 2 + 8 + 1)
    assert.equal(await workOf({ ...base, kind: 'unknown', excess }, size), 2 + 8 + 1)
    assert.equal(await workOf({ ...base, kind: 'reply', excess }, 5000), 0.1 + 5 + 1)
  })

  test('and by the signatures that were compared', async () => {
    const outcomes = [{ addresses: [BOB], action: 'failed' as const }]
    const report: Report = { ...base, kind: 'delivery', outcomes, sentTo: [returnPath] }
    assert.equal(await workOf(report, 50_000), 1 + 2 * 0.015 + 1)
  })
})

test('a message that cannot be parsed is quarantined with the reason; any other error is not its fault', async () => {
  await using intake = await openIntake({
    read() {
      throw new AppError('invalid_payload', 'no end of headers')
    },
  })
  const examined = await intake.examine(Buffer.from('x'))
  assert.deepEqual([examined.kind, examined.isTied], ['unknown', false])
  assert.deepEqual((await examined.store()).rejected, [{ index: 0, error: 'no end of headers' }])
  await using broken = await openIntake({
    read() {
      throw new TypeError('a bug')
    },
  })
  await assert.rejects(broken.examine(Buffer.from('x')), /a bug/)
})

test('a report without a date happened in the second in which it arrived', async () => {
  const report: Report = {
    kind: 'delivery',
    sentTo: [returnPath],
    times: [],
    returned: { to: [], references: [] },
    outcomes: [{ addresses: [BOB], action: 'failed' }],
  }
  await using intake = await openIntake({ read: () => report, nowMs: NOW_MS + 999 })
  await intake.ingest(Buffer.from('x'))
  assert.equal((await intake.reported())[0]?.timestamp, NOW)
})

test('the reasons of several outcomes are named together, and once', async () => {
  await using intake = await openIntake()
  const to = makeReturnPath(references, whole, 'bounces.acme.test')
  const outcomes = ['eve@example.org', 'dan@example.org', 'eve@example.org'].map((recipient) => ({ recipient }))
  const problem = (name: string) =>
    `recipient: the report names "${name}@example.org", not a known recipient of the message`
  assert.deepEqual((await intake.ingest(writeDeliveryReport({ to, outcomes, timeMs: NOW_MS }))).rejected, [
    { index: 0, error: `${problem('eve')}; ${problem('dan')}` },
  ])
})

test('an automatic reply is neither an event nor quarantined', async () => {
  await using intake = await openIntake()
  const reply = Buffer.from(`To: ${returnPath}\r\nAuto-Submitted: auto-replied\r\n\r\nI am away until Monday.\r\n`)
  const result = { kind: 'reply', outcome: 'ignored', stored: 0, duplicates: 0, rejected: [] }
  assert.deepEqual(await intake.ingest(reply), result)
  assert.deepEqual(await intake.quarantined(), [])
})

test('a message that is not a report is quarantined, up to the size limit', async () => {
  await using intake = await openIntake()
  const letter = Buffer.from(`To: ${returnPath}\r\n\r\nPlease call me.\r\n`)
  const examined = await intake.examine(letter)
  assert.deepEqual([examined.kind, examined.isTied], ['unknown', true])
  assert.deepEqual(await intake.quarantined(), [])
  assert.match(
    (await examined.store()).rejected[0]?.error ?? '',
    /not a delivery status notification or a feedback report/,
  )
  assert.equal((await intake.examine(Buffer.from('Subject: buy\r\n\r\nnow'))).isTied, false)
  await intake.ingest(Buffer.alloc(REPORT_BYTES_MAX + 1, 'x'))
  const [, long] = await intake.quarantined()
  assert.equal(long?.payload.length, REPORT_BYTES_MAX)
})
