import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import type { EmailEvent } from '../../../events/event.ts'
import { toEventRow } from './event-row.ts'

const few = <T>(...values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: undefined })

/** Few values of each field, so that many events are alike in all but one. */
const event = fc
  .record(
    {
      id: fc.constantFrom('m1', 'm2'),
      timestamp: fc.constantFrom(1_772_323_200, 1_772_409_599),
      type: fc.constantFrom('Delivery', 'Bounce'),
      domain_name: fc.constant('a.test'),
      recipient: fc.constantFrom('u@b.test', 'ü@b.test'),
      sender: few('', 's@a.test'),
      from: few('', 'A <a@a.test>', 'A\0'),
      subject: few('S', '"S"'),
      size: few(0, 1),
      service_message_id: few('', 'x'),
      direction: few('outbound', ''),
      campaign: few(null, 'c'),
      reception_protocol: few('HTTP', 'ESMTP'),
      response_enhanced_code: few('2.0.0', '4.0.0'),
      provider_name: few('', 'P'),
      peer_name: few('', 'mx.test'),
      bounce_classification: few('Spam', 'Other'),
      num_attempts: few(0, 1),
      delivery_protocol: few('SMTP', 'ESMTP'),
      tls_protocol_version: few('1', '2'),
      tls_cipher: few('X', 'Y'),
    },
    { noNullPrototype: true },
  )
  .map((fields) => JSON.parse(JSON.stringify(fields)) as EmailEvent)

test('the row of an event does not depend on earlier events', () => {
  fc.assert(
    fc.property(fc.array(event, { minLength: 2, maxLength: 20 }), (events) => {
      const toRow = (each: EmailEvent) => toEventRow({ domainNumber: 1, event: each })
      const rows = events.map(toRow)
      assert.deepEqual(events.toReversed().map(toRow).toReversed(), rows)
      for (const [index, row] of rows.entries()) {
        const { from, direction, campaign, reception_protocol } = events[index] as EmailEvent
        assert.deepEqual(JSON.parse(`{"":0${row.mailing}}`), {
          '': 0,
          ...(JSON.parse(JSON.stringify({ from, direction, campaign, reception_protocol })) as object),
        })
      }
    }),
    { numRuns: 300 },
  )
})

for (const [field, [one, other]] of Object.entries({
  recipient: ['a@b.test', 'c@b.test'],
  sender: ['a@a.test', 'c@a.test'],
  subject: ['a', 'c'],
  service_message_id: ['a', 'c'],
  size: [1, 2],
})) {
  test(`messages of the same id that differ by ${field} are two`, () => {
    const toRow = (value: string | number | undefined) => {
      const sent: EmailEvent = {
        id: 'twice',
        timestamp: 1_772_323_200,
        type: 'Delivery',
        domain_name: 'a.test',
        recipient: 'u@b.test',
        sender: 's@a.test',
        subject: 'S',
        service_message_id: 'x',
        size: 9,
      }
      return toEventRow({ domainNumber: 1, event: { ...sent, [field]: value } })
    }
    const [first, second] = [toRow(one), toRow(other)]
    assert.notDeepEqual(first.identity, second.identity)
    assert.deepEqual(toRow(one), first)
  })
}

test('an event that our tracking has added to is another event than the one without; what mail servers report does not matter', () => {
  const [plain] = fc.sample(event, 1)
  assert.ok(plain)
  const rows = [undefined, { url: 'https://a.test/' }, { machine: 'scanner' }, {}].map((extension) =>
    toEventRow({ domainNumber: 1, event: plain, ...(extension && { extension }) }),
  )
  assert.equal(new Set(rows.map(({ key }) => key)).size, 3)
  assert.deepEqual(rows[3], rows[0])
  const sending = { sending_address: '192.0.2.1', sending_pool: 'p', next_attempt: plain.timestamp + 60 }
  const { key, circumstance, origin, retryAfter } = toEventRow({ domainNumber: 1, event: plain, extension: sending })
  assert.deepEqual([key, circumstance], [rows[0]?.key, rows[0]?.circumstance])
  assert.deepEqual([origin, retryAfter], ['192.0.2.1\n\np', 60])
})

test('a row has the fields of the event; those that it lacks are empty', () => {
  const minimal: EmailEvent = {
    id: 'm1',
    timestamp: 1_772_323_200 + 61,
    type: 'Bounce',
    domain_name: 'a.test',
    recipient: 'u@b.test',
  }
  const { key: _, identity: __, ...row } = toEventRow({ domainNumber: 7, event: minimal })
  const empty = {
    day: '2026-03-01',
    secondOfDay: 61,
    domain: 7,
    type: 6,
    responseCode: null,
    content: null,
    circumstance: '',
    provider: '',
    classification: '',
    id: 'm1',
    recipient: 'u@b.test',
    sender: null,
    from: null,
    subject: null,
    serviceMessageId: null,
    size: null,
    mailing: '',
    plain: 2,
    origin: '',
    retryAfter: null,
  }
  assert.deepEqual(row, empty)
  const whole = toEventRow({
    domainNumber: 7,
    event: {
      ...minimal,
      sender: 's@a.test',
      from: 'A',
      subject: 'S',
      size: 5,
      service_message_id: 'x',
      response_code: 550,
      response_content: 'no "user"',
      provider_name: 'P',
      bounce_classification: 'Spam',
    },
    extension: { next_attempt: minimal.timestamp + 60, sending_address: '192.0.2.1' },
  })
  assert.deepEqual(
    [whole.sender, whole.from, whole.subject, whole.size, whole.serviceMessageId, whole.responseCode, whole.content],
    ['s@a.test', 'A', 'S', 5, 'x', 550, 'no \\"user\\"'],
  )
  assert.deepEqual(
    [whole.provider, whole.classification, whole.origin, whole.retryAfter],
    ['P', 'Spam', '192.0.2.1\n\n', 60],
  )
  const past = { next_attempt: minimal.timestamp - 1 }
  assert.equal(toEventRow({ domainNumber: 7, event: minimal, extension: past }).retryAfter, 0)
})

const MESSAGE: EmailEvent = {
  id: 'm1',
  timestamp: 1_772_323_200,
  type: 'Bounce',
  domain_name: 'a.test',
  recipient: 'u@b.test',
}

test('key and identity are stored: they are hashes of the same texts in all versions', () => {
  const bitsOf = (text: string) => createHash('sha256').update(text).digest().readUInt32BE(0)
  const sent = { sender: 's@a.test', subject: 'S', service_message_id: 'x', size: 5 }
  for (const [fields, details] of [
    [{}, 'u@b.test\nnull\nnull\nnull\nnull'],
    [sent, 'u@b.test\ns@a.test\nS\nx\n5'],
  ] as const) {
    const reply = { response_code: 550, response_content: 'no' }
    const { key, identity } = toEventRow({ domainNumber: 1, event: { ...MESSAGE, ...fields, ...reply } })
    assert.equal(key, Math.floor(bitsOf('0 6 550 no') / 2))
    assert.equal(identity, Math.floor(bitsOf('m1') / 256) * 2 ** 24 + Math.floor(bitsOf(details) / 256))
  }
})

test('texts are plain if JSON escapes nothing of them, or if they are ASCII, which From has to be as well', () => {
  const plainOf = (fields: Partial<EmailEvent>) =>
    toEventRow({ domainNumber: 1, event: { ...MESSAGE, ...fields } }).plain
  assert.equal(plainOf({ subject: 'Hello ~ [!]', from: '"A" <a@a.test>' }), 2)
  for (const subject of ['"', '\\', '\n', '\x7f']) assert.equal(plainOf({ subject }), 1, JSON.stringify(subject))
  for (const subject of ['é', 'a\0b']) assert.equal(plainOf({ subject }), 0, JSON.stringify(subject))
  for (const from of ['é', 'a\0b']) assert.equal(plainOf({ from }), 0, JSON.stringify(from))
  for (const field of ['id', 'recipient', 'sender', 'subject', 'service_message_id'] as const) {
    assert.equal(plainOf({ [field]: '"' }), 1, field)
  }
})
