import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WorkBudgets } from './work-budgets.ts'

const RATE = { burstMs: 1000, perMinuteMs: 6000 }

test('a key may spend the burst, then as much as it regains; others are not affected', () => {
  const budgets = new WorkBudgets(RATE)
  budgets.charge('a', 999, 0)
  assert.equal(budgets.isSpent('a', 0), false)
  budgets.charge('a', 201, 0)
  assert.deepEqual([budgets.isSpent('a', 0), budgets.isSpent('b', 0)], [true, false])
  assert.deepEqual([budgets.isSpent('a', 1999), budgets.isSpent('a', 2001)], [true, false])
  assert.equal(budgets.waitSeconds('a', 0), 3)
  assert.equal(budgets.spentMs('a', 60_000), 0)
})

test('an idle key saves up the burst and no more', () => {
  const budgets = new WorkBudgets(RATE)
  budgets.charge('a', 1, 0)
  budgets.charge('a', 1000, 3_600_000)
  assert.equal(budgets.isSpent('a', 3_600_000), true)
})

test('after the clock is set back, a key waits for no longer than before', () => {
  const budgets = new WorkBudgets(RATE)
  budgets.charge('a', 1100, 10_000_000)
  assert.equal(budgets.isSpent('a', 0), true)
  budgets.charge('a', 0, 0)
  assert.equal(budgets.isSpent('a', 1001), false)
})

test('the number of keys that are remembered is limited', () => {
  const budgets = new WorkBudgets(RATE)
  for (let n = 0; n < 10_001; n++) budgets.charge(`key ${n}`, 2000, 0)
  assert.deepEqual([budgets.isSpent('key 0', 0), budgets.isSpent('key 1', 0)], [false, true])
})
