import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Figures, takeTurns } from './figures.ts'

test('medians and percentiles are measured values to three digits, whatever the unit', () => {
  const isClose = (actual: number, expected: number) => assert.ok(Math.abs(actual / expected - 1) < 0.001, `${actual}`)
  isClose(Figures.of([0.5, 0.1, 0.4, 0.2, 0.3]).median, 0.3)
  isClose(Figures.of([5, 1, 4, 2, 3]).percentile(99), 5)
  isClose(Figures.of([240_900.4]).median, 240_900)
})

test('both sides run in every round, alternate in going first, and are reported by their medians', async () => {
  const order: string[] = []
  const figures = { ours: [3, 1, 2], peer: [30, 10, 20] }
  const side = (name: 'ours' | 'peer') => async () => {
    order.push(name)
    return figures[name].shift() ?? 0
  }
  const { ours, peer } = await takeTurns({ rounds: 3 }, side('ours'), side('peer'))
  assert.deepEqual([Math.round(ours), Math.round(peer)], [2, 20])
  assert.deepEqual(order, ['ours', 'peer', 'peer', 'ours', 'ours', 'peer'])
})
