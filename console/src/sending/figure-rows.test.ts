import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toRows } from './figure-rows.ts'

const counted = (...keys: readonly (readonly [key: string, counts: readonly number[]])[]) => ({
  series: keys.map(([key, counts]) => ({
    key,
    total: counts.reduce((sum, count) => sum + count),
    counts: [...counts],
  })),
})

test('the counts of all figures are one row for each key, those with the most attempts first', () => {
  const rows = toRows({
    delivered: counted(['a', [1, 2]], ['b', [5, 5]]),
    bounced: counted(['b', [0, 1]], ['c', [4, 0]]),
    deferred: counted(['a', [20, 0]]),
    complaints: counted(['b', [2, 0]]),
  })
  assert.deepEqual(rows, [
    { key: 'a', totals: { delivered: 3, deferred: 20 }, delivered: [1, 2] },
    { key: 'b', totals: { delivered: 10, bounced: 1, complaints: 2 }, delivered: [5, 5] },
    { key: 'c', totals: { bounced: 4 }, delivered: [0, 0] },
  ])
  assert.deepEqual(toRows({}), [])
})
