import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { codePoint } from '../../../../test/harness/code-point.ts'
import type { EventRow } from './event-row.ts'
import { domainOfRow, RowPack, rowsIn, unpackRows } from './packed-rows.ts'

const text = fc.string({ unit: codePoint, maxLength: 20 })
const optionalText = fc.option(text)
const count = fc.nat({ max: Number.MAX_SAFE_INTEGER })

/** Every field is drawn, so that one which is left out or mixed up is noticed. */
const row: fc.Arbitrary<EventRow> = fc.record(
  {
    day: fc.constantFrom('2026-03-01', '2026-03-02'),
    secondOfDay: fc.nat(86_399),
    domain: count,
    type: fc.nat(8),
    responseCode: fc.option(fc.nat(999)),
    content: optionalText,
    circumstance: text,
    key: fc.nat(),
    provider: text,
    classification: text,
    id: text,
    recipient: text,
    sender: optionalText,
    from: optionalText,
    subject: optionalText,
    serviceMessageId: optionalText,
    size: fc.option(count),
    mailing: text,
    plain: fc.constantFrom(0, 1, 2),
    identity: count,
    origin: text,
    retryAfter: fc.option(fc.nat()),
  },
  { noNullPrototype: true },
)

test('the rows of each request arrive in the other thread as they were', () => {
  fc.assert(
    fc.property(fc.array(fc.array(row, { maxLength: 5 }), { maxLength: 5 }), (requests) => {
      const pack = new RowPack()
      for (const rows of requests) pack.addRequest(rows)
      assert.equal(pack.rows, requests.flat().length)
      const packed = pack.finish()
      assert.deepEqual(unpackRows(structuredClone(packed)), requests)
      assert.deepEqual(
        Array.from({ length: rowsIn(packed) }, (_, index) => domainOfRow(packed, index)),
        requests.flat().map(({ domain }) => domain),
      )
    }),
  )
})

test('a text that many rows share is transferred once', () => {
  const [first] = fc.sample(row, 1)
  assert.ok(first)
  const pack = new RowPack()
  pack.addRequest(Array.from({ length: 1000 }, (_, index) => ({ ...first, key: index, mailing: 'm'.repeat(100) })))
  const { sharedTexts } = pack.finish()
  assert.ok(sharedTexts.length <= 6, `${sharedTexts.length} texts`)
})

test('more rows than a post of usual size has are kept while room is made for them', () => {
  const [first] = fc.sample(row, 1)
  assert.ok(first)
  const pack = new RowPack()
  for (let request = 0; request < 4; request++) {
    pack.addRequest(Array.from({ length: 100 }, (_, index) => ({ ...first, key: request * 100 + index })))
  }
  assert.deepEqual(
    unpackRows(pack.finish())
      .flat()
      .map(({ key }) => key),
    Array.from({ length: 400 }, (_, index) => index),
  )
})
