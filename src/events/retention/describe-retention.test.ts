import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeRetention } from './describe-retention.ts'
import type { RetentionStatus } from './retention.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

function words(changes: Partial<RetentionStatus>): string | undefined {
  const none = { clockMs: 0, timeMs: 0, offMs: 0, believedInMs: 0, completedAtMs: undefined, cutoffMs: undefined }
  return describeRetention({ ...none, phase: 'waiting', ...changes })
}

test('there is nothing to say while everything due is removed', () => {
  assert.equal(words({ phase: 'on_time' }), undefined)
})

test('a clock that is doubted: how far it is off, in which direction, and how long retention waits', () => {
  const ahead = words({ offMs: 100 * DAY_MS + HOUR_MS, believedInMs: 23 * HOUR_MS + 1 })
  assert.match(ahead ?? '', /^The clock is 100 days ahead of the time.*waits for 24 hours of running time\..*--confirm/)
  const behind = words({ offMs: -DAY_MS - HOUR_MS, believedInMs: HOUR_MS })
  assert.match(behind ?? '', /^The clock is 1 day behind the time.*waits for 1 hour of running time\./)
})

test('a removal in steps: how much at a time, and how to do it at once', () => {
  assert.match(
    words({ phase: 'catching_up' }) ?? '',
    /at most 3 days of events in each run\..*--confirm removes everything/,
  )
})
