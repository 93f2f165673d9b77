import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../../lib/app-error.ts'
import { SearchTime } from './search-time.ts'

describe('the time of a search', () => {
  test('is half of the budget at first, and all that is left once something was searched', () => {
    const time = new SearchTime(60_000)
    const isNear = (ms: number, expected: number) => assert.ok(ms <= expected && ms > expected - 10_000, `${ms}`)
    isNear(time.next(false), 30_000)
    isNear(time.next(true), 60_000)
    assert.equal(time.isUsedUp, false)
  })

  test('without a budget it is short, and longer after each failure, until something succeeds', () => {
    const time = new SearchTime(-1)
    assert.equal(time.isUsedUp, true)
    const attempts = [0, 1, 2, 3].map(() => {
      const ms = time.next(false)
      time.fail(undefined)
      return ms
    })
    assert.deepEqual(attempts, [250, 500, 1000, 2000])
    time.succeed()
    assert.equal(time.next(false), 250)
    assert.equal(time.next(true), 50)
  })

  test('ends soon after the budget, however often it is tried', () => {
    const time = new SearchTime(-9000)
    for (const _ of [1, 2, 3]) time.fail(undefined)
    assert.ok(time.next(false) <= 1000, 'not beyond the end')
    const cause = new Error('slow')
    assert.throws(
      () => new SearchTime(-20_000).fail(cause),
      (error) => error instanceof AppError && error.code === 'overloaded' && error.cause === cause,
    )
  })
})
