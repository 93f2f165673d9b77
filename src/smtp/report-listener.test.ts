import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { pino } from 'pino'
import { SmtpSession } from '../../test/harness/mail/smtp-session.ts'
import { AppError } from '../lib/app-error.ts'
import { REPORT_BYTES_MAX, type ReportResult } from '../reports/report-intake.ts'
import { openReportListener, type ReportListenerOptions } from './report-listener.ts'
import { SMTP_LIMITS } from './smtp-limits.ts'

const REPORT = Buffer.from('Subject: report\r\n\r\n.hidden dot\r\n')
const TO = 'l1-00@bounces.acme.test'
const OTHER_ADDRESS = '127.9.9.9'
const TIED: ReportResult = { kind: 'delivery', outcome: 'tied', stored: 1, duplicates: 0, rejected: [] }

interface Scene extends AsyncDisposable {
  readonly port: number
  /** Messages passed to the intake. */
  readonly messages: Buffer[]
  readonly log: string[]
  close(): Promise<void>
}

/** The listener with a scripted intake: the meaning of reports is not the listener's business. */
async function openScene(
  examine: ReportListenerOptions['reports']['examine'] = async () => ({
    kind: 'delivery',
    isTied: true,
    workMs: 1,
    store: async () => TIED,
  }),
  options: Partial<ReportListenerOptions> = {},
): Promise<Scene> {
  const messages: Buffer[] = []
  const log: string[] = []
  const listener = await openReportListener({
    host: '127.0.0.1',
    port: 0,
    accepted: {
      names: ['fbl.operator.test'],
      label: 'bounces',
      domains: { findByName: async (name) => (name === 'acme.test' ? ({ name } as never) : undefined) },
    },
    reports: {
      examine(message, source) {
        messages.push(Buffer.from(message))
        return examine(message, source)
      },
    },
    clock: () => 0,
    logger: pino({ level: 'info', base: null }, { write: (line: string) => void log.push(line) }),
    onTaken: ({ kind, outcome }) => void log.push(`${kind} ${outcome}`),
    ...options,
  })
  let isOpen = true
  const close = async () => {
    if (isOpen) await listener.close()
    isOpen = false
  }
  const port = Number(listener.address.replace(/^.*:/, ''))
  return { port, messages, log, close, [Symbol.asyncDispose]: close }
}

describe('250', () => {
  test('is sent once the report is stored, not before; the envelope is added to the message', async () => {
    const stored = Promise.withResolvers<ReportResult>()
    const asked = Promise.withResolvers<void>()
    await using scene = await openScene(async () => ({
      kind: 'delivery',
      isTied: true,
      workMs: 1,
      store() {
        asked.resolve()
        return stored.promise
      },
    }))
    await using session = await SmtpSession.begin(scene.port)
    let answer: string | undefined
    const sent = session.send(REPORT, [TO, 'x@fbl.operator.test']).then((text) => {
      answer = text
    })
    await asked.promise
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(answer, undefined)
    stored.resolve(TIED)
    await sent
    assert.match(answer ?? '', /^250 2\.\d\.\d Accepted$/)
    assert.deepEqual(scene.log, ['delivery tied'])
    const trace = `Return-Path: <>\r\nDelivered-To: <${TO}>\r\nDelivered-To: <x@fbl.operator.test>\r\n`
    assert.equal(scene.messages[0]?.toString(), `${trace}${REPORT.toString()}`)
  })

  test('is sent for several reports on one connection, and for a quarantined report', async () => {
    await using scene = await openScene(async () => ({
      kind: 'feedback',
      isTied: false,
      workMs: 1,
      store: async () => ({ ...TIED, kind: 'feedback', outcome: 'quarantined' }),
    }))
    await using session = await SmtpSession.begin(scene.port)
    for (let n = 0; n < 15; n++) assert.match(await session.send(REPORT, [TO]), /^250/)
    assert.equal(scene.messages.length, 15)
  })

  test('is sent for a long report, of which only the beginning is examined', async () => {
    await using scene = await openScene()
    await using session = await SmtpSession.begin(scene.port)
    const long = Buffer.concat([REPORT, Buffer.from('x'.repeat(70).concat('\r\n').repeat(10_000))])
    assert.match(await session.send(long, [TO]), /^250/)
    assert.equal(scene.messages[0]?.length, REPORT_BYTES_MAX)
  })
})

test('an automatic reply is accepted from anybody', async () => {
  await using scene = await openScene(async () => ({
    kind: 'reply',
    isTied: false,
    workMs: 1,
    store: async () => ({ ...TIED, kind: 'reply', outcome: 'ignored' }),
  }))
  await using session = await SmtpSession.begin(scene.port)
  assert.match(await session.send(REPORT, [TO]), /^250/)
})

describe('rejected', () => {
  test('mail for other domains: nothing is relayed', async () => {
    await using scene = await openScene()
    await using session = await SmtpSession.begin(scene.port)
    await session.ask('MAIL FROM:<>')
    for (const address of ['a@acme.test', 'a@bounces.rival.test', 'a@gmail.com', 'a@x.bounces.acme.test']) {
      assert.match(
        await session.ask(`RCPT TO:<${address}>`),
        /^550 5\.1\.1 This server does not accept mail for this domain/,
        address,
      )
    }
    for (const address of [TO, 'A@BOUNCES.Acme.Test', 'a@FBL.operator.test'])
      assert.match(await session.ask(`RCPT TO:<${address}>`), /^250/, address)
    assert.match(await session.ask('DATA'), /^354/)
  })

  test('authentication, and TLS without a certificate', async () => {
    await using scene = await openScene()
    await using session = SmtpSession.open(scene.port)
    await session.read()
    const features = await session.ask('EHLO client.test')
    assert.doesNotMatch(features, /AUTH|STARTTLS/)
    assert.match(features, new RegExp(`SIZE ${SMTP_LIMITS.messageBytes}`))
    assert.match(await session.ask('AUTH PLAIN AGEAYg=='), /^5/)
    assert.match(await session.ask('STARTTLS'), /^5/)
  })

  test('554: a message that is neither a report nor sent to a signed address', async () => {
    await using scene = await openScene(async () => ({
      kind: 'unknown',
      isTied: false,
      workMs: 1,
      store: () => Promise.reject(new Error('must not be stored')),
    }))
    await using session = await SmtpSession.begin(scene.port)
    assert.match(await session.send(REPORT, [TO]), /^554 5\.6\.0 Not a delivery status notification/)
  })

  test('452: a report that cannot be tied to a message, while the quarantine is full', async () => {
    const store = () => Promise.reject(new AppError('quota_exceeded', 'No room'))
    await using scene = await openScene(async () => ({ kind: 'delivery', isTied: false, workMs: 1, store }))
    await using session = await SmtpSession.begin(scene.port)
    assert.match(await session.send(REPORT, [TO]), /^452 4\.\d\.\d Too many reports in quarantine/)
  })

  test('451: storage that cannot commit, and bugs; details are not sent to the client', async () => {
    const errors = [new AppError('storage_unavailable', 'The disk is full'), new Error('a secret')]
    await using scene = await openScene(async () => ({
      kind: 'delivery',
      isTied: true,
      workMs: 1,
      store: () => Promise.reject(errors.shift() ?? new Error('called too often')),
    }))
    await using session = await SmtpSession.begin(scene.port)
    assert.match(await session.send(REPORT, [TO]), /^451 4\.3\.0 Cannot store the message at the moment/)
    assert.match(await session.send(REPORT, [TO]), /^451 4\.3\.0 Internal error, try again later$/)
    assert.equal(scene.log.length, 1)
    assert.match(scene.log[0] ?? '', /a secret/)
  })

  test('450: more messages from one address than the rate allows', async () => {
    await using scene = await openScene()
    await using session = await SmtpSession.begin(scene.port)
    for (let n = 0; n < SMTP_LIMITS.messages.burst; n++) {
      await session.ask('MAIL FROM:<>')
      await session.ask('RSET')
    }
    assert.match(await session.ask('MAIL FROM:<>'), /^450 4\.\d\.\d Too many messages/)
  })

  test('421: more connections from one address than allowed; closed ones no longer count', async () => {
    await using scene = await openScene()
    const sessions = Array.from({ length: SMTP_LIMITS.connections.perNetwork }, () => SmtpSession.open(scene.port))
    for (const session of sessions) assert.match(await session.read(), /^220/)
    await using late = SmtpSession.open(scene.port)
    assert.match(await late.read(), /^421 4\.7\.0 Too many connections from your network/)
    for (const session of sessions) {
      session.write('QUIT\r\n')
      assert.match(await session.read(), /^221/)
      await session[Symbol.asyncDispose]()
    }
    // A connection counts until its end is noticed.
    let greeting = ''
    while (!greeting.startsWith('220')) {
      await using next = SmtpSession.open(scene.port)
      greeting = await next.read()
    }
  })

  test('more recipients, longer lines and larger messages than allowed', async () => {
    await using scene = await openScene()
    await using session = await SmtpSession.begin(scene.port)
    assert.match(await session.ask(`MAIL FROM:<> SIZE=${SMTP_LIMITS.messageBytes + 1}`), /^552/)
    await session.ask('MAIL FROM:<>')
    for (let n = 0; n < SMTP_LIMITS.recipientsPerMessage; n++)
      assert.match(await session.ask(`RCPT TO:<a${n}@bounces.acme.test>`), /^250/)
    assert.match(await session.ask('RCPT TO:<b@bounces.acme.test>'), /^452/)
    assert.match(await session.ask(`NOOP ${'x'.repeat(SMTP_LIMITS.commandBytes)}`), /^[45]/)
  })
})

describe('one client network does not lock out others', () => {
  test('by opening connections, faster than they are refused', async () => {
    await using scene = await openScene()
    const hostile = Array.from({ length: 2 * SMTP_LIMITS.connections.total }, () => SmtpSession.open(scene.port))
    await using other = SmtpSession.open(scene.port, OTHER_ADDRESS)
    assert.match(await other.read(), /^220/)
    const greetings = await Promise.all(hostile.map((session) => session.read()))
    const accepted = greetings.filter((greeting) => greeting.startsWith('220')).length
    assert.equal(accepted, SMTP_LIMITS.connections.perNetwork)
    for (const session of hostile) await session[Symbol.asyncDispose]()
  })

  test('by messages that take much work: 421 before the next one, until the time has passed', async () => {
    let nowMs = 0
    const examine = async () => ({ kind: 'delivery', isTied: true, workMs: 4000, store: async () => TIED }) as const
    await using scene = await openScene(examine, { clock: () => nowMs })
    await using session = await SmtpSession.begin(scene.port)
    assert.match(await session.send(REPORT, [TO]), /^250/)
    assert.match(await session.send(REPORT, [TO]), /^250/)
    assert.match(await session.ask('MAIL FROM:<>'), /^421 .*Too much work/)
    await using refused = SmtpSession.open(scene.port)
    assert.match(await refused.read(), /^421 4\.7\.0 Too much work/)
    await using other = await SmtpSession.begin(scene.port, OTHER_ADDRESS)
    assert.match(await other.send(REPORT, [TO]), /^250/)
    nowMs += 60_000
    await using later = await SmtpSession.begin(scene.port)
    assert.match(await later.send(REPORT, [TO]), /^250/)
  })
})

test('a client that names many recipients that are not accepted is dismissed', async () => {
  await using scene = await openScene()
  await using session = await SmtpSession.begin(scene.port)
  await session.ask('MAIL FROM:<>')
  for (let n = 0; n < SMTP_LIMITS.refusedRecipients; n++)
    assert.match(await session.ask('RCPT TO:<a@rival.test>'), /^550/)
  assert.match(await session.ask('RCPT TO:<a@rival.test>'), /^421/)
})

test('the source of a report is the network of the client', async () => {
  const sources: unknown[] = []
  await using scene = await openScene(async (_message, source) => {
    sources.push(source)
    return { kind: 'delivery', isTied: true, workMs: 1, store: async () => TIED }
  })
  await using session = await SmtpSession.begin(scene.port, OTHER_ADDRESS)
  await session.send(REPORT, [TO])
  assert.deepEqual(sources, [{ kind: 'smtp', name: OTHER_ADDRESS }])
})

test('an incomplete message is not passed on', async () => {
  await using scene = await openScene()
  {
    await using session = await SmtpSession.begin(scene.port)
    for (const line of ['MAIL FROM:<>', `RCPT TO:<${TO}>`, 'DATA']) await session.ask(line)
    session.write(REPORT)
  }
  await scene.close()
  assert.deepEqual([scene.messages.length, scene.log], [0, []])
})

test('closing completes and answers messages in progress, and dismisses other clients', async () => {
  const stored = Promise.withResolvers<ReportResult>()
  const asked = Promise.withResolvers<void>()
  await using scene = await openScene(async () => ({
    kind: 'delivery',
    isTied: true,
    workMs: 1,
    store() {
      asked.resolve()
      return stored.promise
    },
  }))
  await using idle = await SmtpSession.begin(scene.port)
  await using busy = await SmtpSession.begin(scene.port)
  const sent = busy.send(REPORT, [TO])
  await asked.promise
  const closed = scene.close()
  assert.match(await idle.read(), /^421/)
  stored.resolve(TIED)
  assert.match(await sent, /^250/)
  assert.match(await busy.read(), /^421/)
  await closed
})
