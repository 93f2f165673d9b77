import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type AppFixture, openAppFixture } from '../../test/harness/app/app-fixture.ts'
import { PowermtaLog } from '../connectors/powermta/powermta-log.ts'
import type { EmailEvent } from '../events/event.ts'
import type { EventLog } from '../events/log/event-log.ts'
import { createSigner } from '../lib/sealing/signer.ts'
import { createReferences } from './reference.ts'
import { makeFullReference, makeReturnPath } from './return-path.ts'
import { createEventTies } from './tie-event.ts'

const SAMPLES = join(import.meta.dirname, '../connectors/kumomta/testdata')
const OOB = JSON.parse(readFileSync(join(SAMPLES, '43-oob.in.json'), 'utf8')) as object
const COMPLAINT = JSON.parse(readFileSync(join(SAMPLES, '46-feedback.in.json'), 'utf8')) as {
  readonly feedback_report: object
}

describe('a bounce message that a mail server has parsed belongs to the message of its signed return path', () => {
  let fixture: AppFixture
  before(async () => {
    fixture = await openAppFixture()
  })
  after(() => fixture[Symbol.asyncDispose]())

  const returnPathOf = ({ domain_name: domain, id }: EmailEvent, recipient?: string, by = fixture.references) =>
    makeReturnPath(by, { domain, messageId: id, recipient }, `bounces.${domain}`)

  async function deliver(fields: Partial<EmailEvent> = {}): Promise<EmailEvent> {
    const event = fixture.event(fields)
    await fixture.ingest([event])
    return event
  }

  const oob = (fields: object) => ({ ...OOB, timestamp: Math.floor(fixture.nowMs / 1000) - 10, ...fields })

  async function post(record: object, key = fixture.operatorKey, connector = 'kumomta') {
    const answer = await fixture.post(`/ingest/${connector}`, key, { payload: JSON.stringify(record) })
    assert.equal(answer.statusCode, 200, answer.body)
    return answer.json<{ stored: number; duplicates: number; rejected: { error: string }[] }>()
  }

  async function eventsOf({ id, domain_name: domain }: EmailEvent) {
    const { events } = (await fixture.get(`/webhooks/${domain}?message_id=${id}`)).json<{ events: EmailEvent[] }>()
    return events.map(({ type, recipient }) => `${type} ${recipient}`)
  }

  test('signed for the recipient: whatever address the bounce message names, stored once', async () => {
    const event = await deliver()
    const { recipient } = event
    const sender = returnPathOf(event, recipient)
    const record = oob({ sender, recipient: 'forwarded@elsewhere.example' })
    assert.deepEqual(await post(record), { stored: 1, duplicates: 0, rejected: [] })
    assert.deepEqual(await post(record), { stored: 0, duplicates: 1, rejected: [] })
    assert.deepEqual(await eventsOf(event), [`OOBBounce ${recipient}`, `Delivery ${recipient}`])
    const [bounce] = (await fixture.get(`/webhooks/acme.test?message_id=${event.id}&type=OOBBounce`)).json<{
      events: EmailEvent[]
    }>().events
    assert.partialDeepStrictEqual(bounce, {
      sender,
      response_code: 550,
      response_content: 'User unknown',
      bounce_classification: 'InvalidRecipient',
      peer_name: 'mx.example.org',
    })
  })

  test('signed for a recipient that it names, it needs nothing in the log', async () => {
    const event = fixture.event()
    const record = oob({ sender: returnPathOf(event, event.recipient), recipient: event.recipient.toUpperCase() })
    assert.equal((await post(record)).stored, 1)
    assert.deepEqual(await eventsOf(event), [`OOBBounce ${event.recipient.toUpperCase()}`])
  })

  test('signed for the whole message: only for recipients that the log knows', async () => {
    const first = await deliver()
    const second = await deliver({ id: first.id, recipient: 'second@example.net' })
    const sender = returnPathOf(first)
    const { rejected } = await post(oob({ sender, recipient: 'stranger@example.net' }))
    assert.match(rejected[0]?.error ?? '', /^recipient: not a known recipient/)
    assert.equal((await post(oob({ sender, recipient: second.recipient }))).stored, 1)
    assert.equal((await eventsOf(first)).filter((line) => line === `OOBBounce ${second.recipient}`).length, 1)
  })

  test('with a reference that is not ours it is quarantined, and affects no message', async () => {
    const event = await deliver()
    const strangers = createReferences(createSigner(Buffer.alloc(32, 9), 'report reference'))
    for (const sender of [
      returnPathOf(event, event.recipient, strangers),
      // Ours, but of another message and another domain.
      returnPathOf(event, event.recipient).replace(/^l.{8}/, 'l11111111'),
      returnPathOf(event, event.recipient).replace('acme.test', 'rival.test'),
    ]) {
      const { stored, rejected } = await post(oob({ sender, recipient: event.recipient }))
      assert.equal(stored, 0)
      assert.match(rejected[0]?.error ?? '', /^the reference in the report was not signed here/)
    }
    assert.deepEqual(await eventsOf(event), [`Delivery ${event.recipient}`])
  })

  test("with a tenant's key, the message of another tenant is unknown", async () => {
    const event = await deliver()
    const record = oob({ sender: returnPathOf(event, event.recipient), recipient: event.recipient })
    const { key: rivals } = await fixture.createKey(fixture.rival.tenant, ['ingest'])
    const { key: own } = await fixture.createKey(fixture.acme.tenant, ['ingest'])
    const { stored, rejected } = await post(record, rivals)
    assert.equal(stored, 0)
    assert.match(rejected[0]?.error ?? '', /^the reference in the report was not signed here/)
    assert.deepEqual(await eventsOf(event), [`Delivery ${event.recipient}`])
    assert.equal((await post(record, own)).stored, 1)
  })

  test("with a tenant's key, nothing says who received a message of another tenant", async () => {
    const event = await deliver()
    await deliver({ id: event.id, recipient: 'second@example.net' })
    const { key } = await fixture.createKey(fixture.rival.tenant, ['ingest'])
    // Recipients see it in the header of the message.
    const sender = returnPathOf(event)
    const forged = sender.replace(/-[0-9a-f]{4}(?=[0-9a-f]{16}@)/, '-0000')
    const errors = new Set<string | undefined>()
    for (const [path, recipient] of [
      [sender, 'second@example.net'],
      [sender, 'stranger@example.net'],
      [forged, 'second@example.net'],
    ]) {
      const { rejected } = await post(oob({ sender: path, recipient }), key)
      errors.add(rejected[0]?.error)
    }
    assert.equal(errors.size, 1, [...errors].join('\n'))
  })

  test('a source whose references cannot be verified gets no more searches; what a report names still counts', async () => {
    const event = fixture.event()
    const { tenantId } = fixture.acme.domains[0]
    const recipients = Array.from({ length: 1000 }, (_, n) => `r${n}@example.org`)
    let reads = 0
    const log: Pick<EventLog, 'listMessage' | 'list'> = {
      async listMessage() {
        reads += 1
        return { events: recipients.map((recipient) => JSON.stringify({ ...event, recipient })) }
      },
      async list() {
        return { events: [JSON.stringify({ ...event, recipient: 'r7@example.org' })] }
      },
    }
    let nowMs = fixture.nowMs
    const { domains } = fixture.storage.control
    const work = { burstMs: 100, perMinuteMs: 60 }
    const tie = createEventTies({ references: fixture.references, domains, log, clock: () => nowMs, work })
    const tell = (reference: string, recipient: string, name = 'k1') =>
      tie({ event: { recipient }, reference }, { tenantId, source: { kind: 'key', name } })
    const forged = returnPathOf(event).replace(/-[0-9a-f]{4}(?=[0-9a-f]{16}@)/, '-0000')
    for (let sent = 0; sent < 50; sent++) await assert.rejects(tell(forged, 'nobody@example.net'))
    assert(reads < 10, `${reads} searches`)
    await assert.rejects(tell(returnPathOf(event, 'r7@example.org'), 'forwarded@example.net'), /replay it later/)
    for (const reference of [returnPathOf(event, 'r7@example.org'), returnPathOf(event)])
      assert.partialDeepStrictEqual(await tell(reference, 'R7@example.org'), { event: { id: event.id } })
    const forwarded = { event: { recipient: 'r7@example.org' } }
    const search = (name?: string) => tell(returnPathOf(event, 'r7@example.org'), 'forwarded@example.net', name)
    assert.partialDeepStrictEqual(await search('k2'), forwarded)
    nowMs += 3_600_000
    assert.partialDeepStrictEqual(await search(), forwarded)
  })

  test('a bounce message before the log has its message can be replayed', async () => {
    const event = fixture.event()
    const record = oob({ sender: returnPathOf(event), recipient: event.recipient })
    assert.equal((await post(record)).rejected.length, 1)
    await fixture.ingest([event])
    const replay = await fixture.post('/v1/admin/quarantine/replay', fixture.operatorKey)
    assert.equal(replay.statusCode, 200, replay.body)
    assert.deepEqual(await eventsOf(event), [`OOBBounce ${event.recipient}`, `Delivery ${event.recipient}`])
  })

  test('without a reference it keeps an id of its own', async () => {
    const sender = 'bounces@acme.test'
    assert.equal((await post(oob({ id: 'of-the-bounce-itself', sender, recipient: 'a@example.org' }))).stored, 1)
    assert.deepEqual(await eventsOf(fixture.event({ id: 'of-the-bounce-itself' })), ['OOBBounce a@example.org'])
  })

  test('a complaint is tied in the same way, even if the provider hides who complained', async () => {
    const event = await deliver()
    const report = {
      ...COMPLAINT.feedback_report,
      original_mail_from: `<${returnPathOf(event, event.recipient)}>`,
      original_rcpto_to: [],
      original_message: 'From: hello@acme.test\n\n',
      supplemental_trace: null,
    }
    const record = { ...COMPLAINT, timestamp: Math.floor(fixture.nowMs / 1000), feedback_report: report }
    assert.deepEqual(await post(record), { stored: 1, duplicates: 0, rejected: [] })
    assert.deepEqual(await eventsOf(event), [`Feedback ${event.recipient}`, `Delivery ${event.recipient}`])
    const other = await deliver()
    const subject = { domain: 'acme.test', messageId: other.id, recipient: other.recipient }
    const header = `X-Envelog-Ref: ${makeFullReference(fixture.references, subject)}`
    const byHeader = { ...report, original_mail_from: null, original_message: `From: hello@acme.test\n${header}\n\n` }
    assert.equal((await post({ ...record, feedback_report: byHeader })).stored, 1)
    assert.deepEqual(await eventsOf(other), [`Feedback ${other.recipient}`, `Delivery ${other.recipient}`])
    const notSpam = { ...record, feedback_report: { ...report, feedback_type: 'not-spam' } }
    assert.deepEqual(await post(notSpam), { stored: 0, duplicates: 0, rejected: [], skipped: 1 })
  })

  test("PowerMTA's remote bounce is tied in the same way, without any other id", async () => {
    const event = await deliver()
    const { recipient } = event
    const sender = returnPathOf(event, recipient)
    const line = (orig: string) =>
      JSON.stringify({
        type: 'rb',
        timeLogged: Math.floor(fixture.nowMs / 1000),
        orig,
        rcpt: recipient,
        dsnDiag: 'smtp;550 no',
      })
    const send = (orig: string) => {
      const [record = {}] = new PowermtaLog({ remembered: [], host: '', nowMs: () => 0 }).read(line(orig))
      return post(record, fixture.operatorKey, 'maillog')
    }
    assert.deepEqual(await send(sender), { stored: 1, duplicates: 0, rejected: [] })
    assert.deepEqual(await eventsOf(event), [`OOBBounce ${recipient}`, `Delivery ${recipient}`])
    const forged = await send(sender.replace(/-[0-9a-f]{4}(?=[0-9a-f]{16}@)/, '-0000'))
    assert.match(forged.rejected[0]?.error ?? '', /not signed here/)
    const unsigned = await send('bounces@acme.test')
    assert.match(unsigned.rejected[0]?.error ?? '', /no id that identifies a message/)
  })
})
