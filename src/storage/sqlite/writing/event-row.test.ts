import assert from 'node:assert/strict'
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
