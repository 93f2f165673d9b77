import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TIE_LIMITS, TieBudget } from './tie-budget.ts'

const RESOURCES = ['references', 'signatures', 'events', 'lookups'] as const

test('each resource is granted up to its limit, and what is left out is noted', () => {
  for (const resource of RESOURCES) {
    const budget = new TieBudget()
    assert.equal(budget.take(resource, TIE_LIMITS[resource] - 1), TIE_LIMITS[resource] - 1)
    assert.equal(budget.take(resource, 1), 1)
    assert.equal(budget.isExceeded, false)
    assert.equal(budget.take(resource, 1), 0)
    assert.equal(budget.isExceeded, true)
    assert.equal(new TieBudget().take(resource, 2 * TIE_LIMITS[resource]), TIE_LIMITS[resource])
  }
})

test('everything that takes processor time adds to what was spent', () => {
  const budget = new TieBudget()
  assert.equal(budget.spentMs, 0)
  for (const resource of ['signatures', 'events', 'lookups'] as const) {
    const before = budget.spentMs
    budget.take(resource, 5)
    assert.ok(budget.spentMs > before, resource)
  }
})

test('what was spent is estimated: ten microseconds for an event, fifteen for a signature, ten milliseconds for a lookup', () => {
  const spent = (resource: (typeof RESOURCES)[number], count: number) => {
    const budget = new TieBudget()
    budget.take(resource, count)
    return budget.spentMs
  }
  assert.deepEqual([spent('signatures', 200), spent('events', 100), spent('lookups', 2)], [3, 1, 20])
})

test('there is something left until the last is taken', () => {
  const budget = new TieBudget()
  budget.take('lookups', TIE_LIMITS.lookups - 1)
  assert.equal(budget.has('lookups'), true)
  budget.take('lookups', 1)
  assert.equal(budget.has('lookups'), false)
})
