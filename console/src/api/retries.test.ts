import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from './request.ts'
import { retryDelay, shouldRetry, shouldRetryBusy } from './retries.ts'

test('reads that can succeed in a moment are retried twice, after the time that the server asks for', () => {
  const busy = new ApiError(429, 'slow down', 3000)
  assert.deepEqual(
    [0, 1, 2].map((failures) => shouldRetry(failures, busy)),
    [true, true, false],
  )
  assert.equal(retryDelay(0, busy), 3000)
  assert.equal(shouldRetry(0, new ApiError(503, 'full')), true)
  assert.equal(shouldRetry(0, new ApiError(0, 'unreachable')), true)
  assert.deepEqual([retryDelay(0, new ApiError(0, '')), retryDelay(9, new ApiError(0, ''))], [1000, 10_000])
})

test('other refusals, and those that last longer, are shown at once', () => {
  for (const status of [400, 401, 403, 404, 500]) assert.equal(shouldRetry(0, new ApiError(status, 'no')), false)
  assert.equal(shouldRetry(0, new ApiError(429, 'used up', 3_600_000)), false)
  assert.equal(shouldRetry(0, new Error('a bug')), false)
})

test('pages of the log are retried only if the server is busy', () => {
  assert.equal(shouldRetryBusy(0, new ApiError(429, 'slow down', 1000)), true)
  assert.equal(shouldRetryBusy(0, new ApiError(503, 'full')), false)
})
