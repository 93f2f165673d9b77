import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listFigures } from '../../../src/stats/figures.ts'
import type { Definitions } from '../api/figures.ts'
import { toRows } from './figure-rows.ts'

const definitions = Object.fromEntries(listFigures().map((figure) => [figure.id, figure])) as unknown as Definitions

const counted = (...keys: readonly (readonly [key: string, counts: readonly number[]])[]) => ({
  series: keys.map(([key, counts]) => ({
    key,
    total: counts.reduce((sum, count) => sum + count),
    counts: [...counts],
  })),
})

test('the counts of all figures are one row for each key, the worst first', () => {
  const rows = toRows(definitions, {
    delivered: counted(['a', [100, 200]], ['b', [50, 50]]),
    bounced: counted(['a', [0, 1]], ['c', [20, 10]]),
    deferred: counted(['b', [20, 0]]),
    complaints: counted(['d', [2, 0]]),
  })
  assert.deepEqual(rows, [
    { key: 'c', totals: { bounced: 30 }, delivered: [0, 0] },
    { key: 'b', totals: { delivered: 100, deferred: 20 }, delivered: [50, 50] },
    { key: 'a', totals: { delivered: 300, bounced: 1 }, delivered: [100, 200] },
    { key: 'd', totals: { complaints: 2 }, delivered: [0, 0] },
  ])
  assert.deepEqual(toRows(definitions, {}), [])
})
