import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readDetails, writeDetails } from './event-details.ts'

test('details are read back as they were written', () => {
  const serviceMessageId = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[ 0-9]{0,9}$/))
  const code = fc.option(fc.nat(65_534), { nil: undefined })
  const details = fc.record(
    { type: fc.nat(255), code, present: fc.nat(31), size: fc.maxSafeNat(), retryAfter: fc.nat(), serviceMessageId },
    { noNullPrototype: true },
  )
  fc.assert(fc.property(details, (given) => assert.deepEqual(readDetails(writeDetails(given)), given)))
})

test('the text is stored: it stays the same in every version', () => {
  const given = { type: 2, code: 550, present: 31, size: 4821, retryAfter: 61, serviceMessageId: 'sm 1' }
  assert.equal(writeDetails(given), 'sm 1 4821 31 61 550 2')
  assert.equal(writeDetails({ ...given, code: undefined, serviceMessageId: '' }), ' 4821 31 61  2')
})

test('a text that nobody has written is an error, not an event', () => {
  for (const text of ['', '2', '4821 31 61 550 2', ' 31 61 550 2'])
    assert.throws(() => readDetails(text), /not the details of an event/)
})
