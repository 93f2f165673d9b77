import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { type AppFixture, openAppFixture } from '../../../test/harness/app/app-fixture.ts'
import { writeComplaint, writeDeliveryReport } from '../../../test/harness/mail/written-report.ts'
import { withChangedLog } from '../../../test/harness/storage/changed-log.ts'
import type { EmailEvent } from '../../events/event.ts'
import { AppError } from '../../lib/app-error.ts'
import { makeReturnPath } from '../../reports/return-path.ts'
import { REPORT_WORK } from './ingest.ts'

let fixture: AppFixture
before(async () => {
  fixture = await openAppFixture()
})
after(() => fixture[Symbol.asyncDispose]())

async function deliver(app = fixture): Promise<{ event: EmailEvent; to: string }> {
  const event = app.event()
  await app.ingest([event])
  const subject = { domain: event.domain_name, messageId: event.id, recipient: event.recipient }
  return { event, to: makeReturnPath(app.references, subject, `bounces.${event.domain_name}`) }
}

async function reportOf(app = fixture): Promise<{ event: EmailEvent; report: Buffer }> {
  const { event, to } = await deliver(app)
  const report = writeDeliveryReport({ to, outcomes: [{ recipient: event.recipient }], timeMs: app.nowMs })
  return { event, report }
}

function send(payload: Buffer | string, headers: Record<string, string> = {}, app = fixture) {
  return app.post('/ingest/report', app.operatorKey, { payload, headers })
}

describe('200', () => {
  test('a bounce message is stored once, as an event of its original message', async () => {
    const { event, report } = await reportOf()
    assert.deepEqual((await send(report)).json(), { stored: 1, duplicates: 0, rejected: [] })
    assert.deepEqual((await send(report)).json(), { stored: 0, duplicates: 1, rejected: [] })
    const listed = await fixture.get(`/webhooks/acme.test?message_id=${event.id}`)
    assert.deepEqual(
      listed.json<{ events: EmailEvent[] }>().events.map(({ type }) => type),
      ['OOBBounce', 'Delivery'],
    )
  })

  test('gzip and zstd are accepted, whatever the Content-Type', async () => {
    for (const [encoding, compress] of [
      ['gzip', gzipSync],
      ['zstd', zstdCompressSync],
    ] as const) {
      const { report } = await reportOf()
      const headers = { 'content-encoding': encoding, 'content-type': 'message/rfc822' }
      assert.equal((await send(compress(report), headers)).json<{ stored: number }>().stored, 1)
    }
  })

  test('a complaint is stored as Feedback', async () => {
    const { event, to } = await deliver()
    const fields = [`Original-Mail-From: ${to}`]
    await send(writeComplaint({ to: 'fbl@acme.test', fields, timeMs: fixture.nowMs }))
    const { body } = await fixture.get(`/webhooks/acme.test?message_id=${event.id}`)
    assert.match(body, /"type":"Feedback"/)
  })

  test('a report without a known message, and a message that is not a report, are rejected and quarantined', async () => {
    await using own = await openAppFixture()
    const forged = writeDeliveryReport({ outcomes: [{ recipient: 'bob@example.org' }], timeMs: own.nowMs })
    assert.deepEqual((await send(forged, {}, own)).json(), {
      stored: 0,
      duplicates: 0,
      rejected: [{ index: 0, error: 'the report has no signed reference and no id of a message in the log' }],
    })
    assert.equal((await send('{"no":"message"}', {}, own)).statusCode, 200)
    assert.equal(await own.storage.control.quarantine.count(), 2)
  })

  test('reports are counted by kind and outcome', async () => {
    await using own = await openAppFixture()
    const { report } = await reportOf(own)
    await send(report, {}, own)
    await send(writeComplaint({ timeMs: own.nowMs }), {}, own)
    const { body } = await own.get('/metrics', null)
    assert.match(body, /envelog_reports_total\{kind="delivery",outcome="tied"\} 1\n/)
    assert.match(body, /envelog_reports_total\{kind="feedback",outcome="quarantined"\} 1\n/)
    assert.match(body, /envelog_reports_total\{kind="unknown",outcome="quarantined"\} 0\n/)
    assert.match(body, /envelog_ingest_records_total\{connector="report",outcome="stored"\} 1\n/)
  })
})

test('400: no body', async () => {
  assert.deepEqual((await send('')).json(), { error: 400, message: 'The request body is empty; send one raw message' })
})

test('413: a body above 16 MiB', async () => {
  assert.equal((await send(Buffer.alloc(16 * 1024 * 1024 + 1, ' '))).statusCode, 413)
})

test('503: if the log or the quarantine cannot commit, nothing is stored', async () => {
  let isBroken = true
  const broken = () => Promise.reject(new AppError('storage_unavailable', 'Later'))
  await using own = await openAppFixture({
    wrapStorage: (storage) => ({
      ...withChangedLog(storage, { append: (events) => (isBroken ? broken() : storage.log.append(events)) }),
      control: {
        ...storage.control,
        quarantine: Object.assign(Object.create(storage.control.quarantine), { add: broken }),
      },
    }),
  })
  isBroken = false
  const { report } = await reportOf(own)
  isBroken = true
  for (const message of [report, writeComplaint({ timeMs: own.nowMs })]) {
    const answer = await send(message, {}, own)
    assert.deepEqual(answer.json(), { error: 503, message: 'Later' })
    assert.match(String(answer.headers['retry-after']), /^[1-9]\d*$/)
  }
})

test('429: a key whose reports have used up their processor time, until some has passed', async () => {
  const stored = { kind: 'delivery', outcome: 'tied', stored: 1, duplicates: 0, rejected: [] } as const
  const examine = async () =>
    ({ kind: 'delivery', isTied: true, workMs: REPORT_WORK.burstMs, store: async () => stored }) as const
  await using own = await openAppFixture({ reports: { examine, ingest: async () => stored } })
  assert.equal((await send('x', {}, own)).statusCode, 200)
  const refused = await send('x', {}, own)
  assert.equal(refused.statusCode, 429)
  assert.match(String(refused.headers['retry-after']), /^[1-9]\d*$/)
  // Events with the same key are not affected.
  await own.ingest([own.event()])
  own.advance(Number(refused.headers['retry-after']) * 1000)
  assert.equal((await send('x', {}, own)).statusCode, 200)
})
