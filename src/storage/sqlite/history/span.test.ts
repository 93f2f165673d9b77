import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dayOfNumber, groupDomains, isIndexable, numberOfDay, slotOf, spanOf } from './span.ts'

test('days have numbers from 1970 on, and 64 of them are a span', () => {
  assert.deepEqual([numberOfDay('1970-01-01'), numberOfDay('2026-03-01')], [0, 20_513])
  assert.equal(dayOfNumber(20_513), '2026-03-01')
  assert.deepEqual([63, 64, 20_513].map(spanOf), [0, 1, 320])
  assert.deepEqual([63, 64, 20_513].map(slotOf), [63, 0, 33])
})

test('days whose keys are exact are in the index', () => {
  const last = 2 ** 11 * 64
  assert.deepEqual([-1, 0, last - 1, last].map(dayOfNumber).map(isIndexable), [false, true, true, false])
})

test('domains are grouped for statements of 200', () => {
  const domains = Array.from({ length: 401 }, (_, index) => index)
  const sizes = (count: number) => groupDomains(domains.slice(0, count)).map((json) => (JSON.parse(json) as []).length)
  assert.deepEqual([sizes(0), sizes(200), sizes(401)], [[], [200], [200, 200, 1]])
  assert.deepEqual(groupDomains([7, 8]), ['[7,8]'])
})
