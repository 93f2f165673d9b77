import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { TokenBuckets } from './token-buckets.ts'

const NOW_MS = 1_700_000_000_000

describe('token buckets', () => {
  test('a full bucket holds the burst, then tokens are refilled one at a time', () => {
    const buckets = new TokenBuckets({ burst: 3, perMinute: 60 })
    const take = (atMs: number) => buckets.take('acme', NOW_MS + atMs)
    assert.deepEqual([take(0), take(0), take(0), take(0)], [true, true, true, false])
    assert.deepEqual([take(999), take(1000), take(1000)], [false, true, false])
    assert.deepEqual([take(3000), take(3000), take(3000)], [true, true, false])
  })

  test('an idle key saves up the burst and no more', () => {
    const buckets = new TokenBuckets({ burst: 2, perMinute: 60 })
    buckets.take('acme', NOW_MS)
    const later = NOW_MS + 86_400_000
    assert.deepEqual(
      [1, 2, 3].map(() => buckets.take('acme', later)),
      [true, true, false],
    )
  })

  test('a draw says what is left, and when there is more', () => {
    const buckets = new TokenBuckets({ burst: 3, perMinute: 60 })
    const draw = (atMs: number) => Object.values(buckets.draw('acme', NOW_MS + atMs))
    assert.deepEqual(draw(0), [true, 2, 0, 1000])
    assert.deepEqual(draw(0), [true, 1, 0, 2000])
    assert.deepEqual(draw(0), [true, 0, 1000, 3000])
    assert.deepEqual(draw(400), [false, 0, 600, 2600])
    assert.deepEqual(draw(1500), [true, 0, 500, 2500])
    assert.deepEqual(draw(10_000), [true, 2, 0, 1000])
  })

  test('a full bucket holds exactly the burst, whatever the rate', () => {
    for (const perMinute of [1, 7, 59, 61, 997, 60_000]) {
      const buckets = new TokenBuckets({ burst: perMinute, perMinute })
      for (let left = perMinute - 1; left >= 0; left--) assert.equal(buckets.draw('acme', NOW_MS).left, left)
      assert.equal(buckets.take('acme', NOW_MS), false)
      const { nextInMs } = buckets.draw('acme', NOW_MS)
      assert.equal(buckets.take('acme', NOW_MS + Math.ceil(nextInMs)), true, `${perMinute} a minute`)
    }
  })

  test('a returned token can be taken again, and never overfills a bucket', () => {
    const buckets = new TokenBuckets({ burst: 2, perMinute: 1 })
    for (let tries = 0; tries < 5; tries++) {
      assert.equal(buckets.take('acme', NOW_MS), true)
      buckets.giveBack('acme')
    }
    buckets.giveBack('acme')
    buckets.giveBack('stranger')
    assert.deepEqual(
      [1, 2, 3].map(() => buckets.take('acme', NOW_MS)),
      [true, true, false],
    )
  })

  test('each key has its own bucket', () => {
    const buckets = new TokenBuckets({ burst: 1, perMinute: 1 })
    assert.deepEqual([buckets.take('acme', NOW_MS), buckets.take('rival', NOW_MS)], [true, true])
    assert.deepEqual([buckets.take('acme', NOW_MS), buckets.take('rival', NOW_MS)], [false, false])
  })

  test('after the clock is set back, no key waits longer than for an empty bucket', () => {
    const buckets = new TokenBuckets({ burst: 2, perMinute: 60 })
    for (let index = 0; index < 3; index++) buckets.take('acme', NOW_MS)
    const earlier = NOW_MS - 3_600_000
    assert.equal(buckets.take('acme', earlier), false)
    assert.equal(buckets.take('acme', earlier + 1000), true)
  })

  test('with many keys, full buckets are forgotten, empty ones are not', () => {
    const buckets = new TokenBuckets({ burst: 1, perMinute: 1 })
    for (let index = 0; index < 20_000; index++) buckets.take(`tenant ${index}`, NOW_MS + index * 10)
    assert.equal(buckets.take('tenant 19999', NOW_MS + 200_000), false)
    assert.equal(buckets.take('tenant 0', NOW_MS + 200_000), true)
  })

  test('the number of buckets is limited, even if none of them is full', () => {
    const buckets = new TokenBuckets({ burst: 1, perMinute: 1 })
    for (let index = 0; index < 30_000; index++) buckets.take(`address ${index}`, NOW_MS)
    // The first were forgotten, the last were not.
    assert.equal(buckets.take('address 0', NOW_MS), true)
    assert.equal(buckets.take('address 29999', NOW_MS), false)
  })

  test('over any period no more is taken than the burst plus the refill', () => {
    const burst = 5
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 100 }), (gaps) => {
        const buckets = new TokenBuckets({ burst, perMinute: 60 })
        const takenAtMs: number[] = []
        let nowMs = NOW_MS
        for (const gap of gaps) {
          nowMs += gap
          if (buckets.take('acme', nowMs)) takenAtMs.push(nowMs)
        }
        for (const [first, fromMs] of takenAtMs.entries()) {
          for (const [last, toMs] of takenAtMs.entries()) {
            if (last >= first) assert.ok(last - first + 1 <= burst + (toMs - fromMs) / 1000 + 1e-9)
          }
        }
      }),
    )
  })
})
