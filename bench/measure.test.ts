import assert from 'node:assert/strict'
import { test } from 'node:test'
import { median, percentile, takeTurns } from './measure.ts'

test('a percentile is a value that was measured', () => {
  const values = [5, 1, 4, 2, 3]
  assert.equal(median(values), 3)
  assert.equal(percentile(values, 99), 5)
  assert.equal(percentile([7], 50), 7)
})

test('both sides take part in every round, go first in turn, and are told by their medians', async () => {
  const order: string[] = []
  const figures = { ours: [3, 1, 2], peer: [30, 10, 20] }
  const side = (name: 'ours' | 'peer') => async () => {
    order.push(name)
    return figures[name].shift() ?? 0
  }
  assert.deepEqual(await takeTurns({ rounds: 3 }, side('ours'), side('peer')), { ours: 2, peer: 20 })
  assert.deepEqual(order, ['ours', 'peer', 'peer', 'ours', 'ours', 'peer'])
})
