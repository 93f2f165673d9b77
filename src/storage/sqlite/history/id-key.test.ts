import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { dayOfIdKey, firstIdKey, hashForHistory, idKey } from './id-key.ts'
import { SPAN_DAYS, spanOf } from './span.ts'

const day = fc.integer({ min: 0, max: 130_000 })

test('the key of an id is an exact integer that names its day, in the range of its span', () => {
  fc.assert(
    fc.property(fc.string(), day, (id, number) => {
      const key = idKey(hashForHistory(id), number)
      assert(Number.isSafeInteger(key))
      assert.equal(dayOfIdKey(key), number)
      const first = firstIdKey(hashForHistory(id), spanOf(number))
      assert(key >= first && key < first + SPAN_DAYS)
    }),
  )
})

test('ids have different keys', () => {
  const keys = new Set(Array.from({ length: 10_000 }, (_, index) => idKey(hashForHistory(`id-${index}`), 20_000)))
  assert.equal(keys.size, 10_000)
})

test('the hash of an id is the first 36 bits of its SHA-256: the index has it on the disk', () => {
  fc.assert(
    fc.property(fc.string(), (id) => {
      const bits = createHash('sha256').update(id).digest('hex').slice(0, 9)
      assert.equal(hashForHistory(id), Number.parseInt(bits, 16))
    }),
  )
})
