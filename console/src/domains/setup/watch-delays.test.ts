import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VERIFY_RATE } from '../../../../src/domains/verification/verification-runner.ts'
import { watchDelay } from './watch-delays.ts'

test('the waits become longer and end after about an hour, within what a tenant may check', () => {
  const delays: number[] = []
  for (let check = 0; ; check++) {
    const delay = watchDelay(check)
    if (delay === undefined) break
    delays.push(delay)
  }
  assert.deepEqual(
    delays,
    delays.toSorted((one, other) => one - other),
  )
  const totalMs = delays.reduce((sum, delay) => sum + delay, 0)
  assert(totalMs > 45 * 60_000 && totalMs < 75 * 60_000)
  assert(60_000 / Math.min(...delays) < VERIFY_RATE.perMinute / 2)
})
