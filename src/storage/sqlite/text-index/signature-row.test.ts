import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fromColumns, joinRows, MESSAGES_PER_ROW, type SignatureRow, toColumns } from './signature-row.ts'
import { SEARCHED_FIELDS } from './text-search.ts'
import { wordsOf } from './text-signature.ts'

function rowOf(first: number, messages: number): SignatureRow {
  const numbers = Uint32Array.from({ length: messages }, (_, index) => first + index)
  const fields = SEARCHED_FIELDS.map((field, index) => {
    const words = wordsOf(field)
    const wordAt = (_: unknown, at: number) => (first + Math.floor(at / words)) * 100 + index * 10 + (at % words)
    return Uint32Array.from({ length: messages * words }, wordAt)
  })
  return { numbers, fields }
}

test('rows are read back from their columns, at any alignment in memory', () => {
  const row = rowOf(2 ** 28 - 3, 3)
  const columns = toColumns(row) as readonly Uint8Array[]
  assert.deepEqual(fromColumns(columns), row)
  const moved = columns.map((column) => Buffer.concat([Buffer.from([1]), column]).subarray(1))
  assert.deepEqual(fromColumns(moved), row)
})

test('merged rows have the same messages in order, and all but the last are full', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: MESSAGES_PER_ROW }), { minLength: 1, maxLength: 8 }), (sizes) => {
      let next = 0
      const rows = sizes.map((size) => {
        const row = rowOf(next, size)
        next += size
        return row
      })
      const joined = joinRows(rows)
      assert.equal(joined.length, Math.ceil(next / MESSAGES_PER_ROW))
      for (const [index, row] of joined.entries()) {
        const first = index * MESSAGES_PER_ROW
        assert.deepEqual(row, rowOf(first, Math.min(MESSAGES_PER_ROW, next - first)))
      }
    }),
  )
})
