import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spanHolding } from './day-volumes.ts'
import { LONGEST_SPAN } from './search-spans.ts'

const DAY = 86_400
const volumes = [
  { day: 20, events: 0 },
  { day: 12, events: 100 },
  { day: 11, events: 1000 },
]

test('a span has about as many events as are wanted, over days without any', () => {
  const end = 21 * DAY - 1
  assert.equal(spanHolding(volumes, end, 1100), LONGEST_SPAN)
  assert.equal(spanHolding(volumes, end, 600), 9 * DAY + DAY / 2)
  assert.equal(spanHolding(volumes, end, 100), 9 * DAY)
  assert.equal(spanHolding(volumes, end, 50), 8 * DAY + DAY / 2)
  assert.equal(spanHolding([], end, 50), LONGEST_SPAN)
})

test('days after the end do not count, and of its own day only what is before it', () => {
  assert.equal(spanHolding(volumes, 11 * DAY + DAY / 2 - 1, 500), DAY / 4)
  assert.equal(spanHolding(volumes, 10 * DAY, 1), LONGEST_SPAN)
})
