import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createSeededRandom } from '../../lib/seeded-random.ts'
import { type Examined, findDeviation, type HourCounts } from './deviation.ts'

const HOURS = 24
const even = (count: number): number[] => Array.from({ length: HOURS }, () => count)
const period = (count: number, whole: number): HourCounts => ({ counts: even(count), wholes: even(whole) })

function examined(now: HourCounts, usual: readonly HourCounts[], changes: Partial<Examined> = {}): Examined {
  return { figure: 'bounced', now, usual, all: now.wholes, elapsed: 1, ...changes }
}

/** `now` with these counts in its last hours. */
function ending(now: HourCounts, counts: readonly number[]): HourCounts {
  const first = HOURS - counts.length
  const replaced = now.counts.map((count, at) => counts[at - first] ?? count)
  return {
    counts: replaced,
    wholes: now.wholes.map((whole, at) => whole + (replaced[at] ?? 0) - (now.counts[at] ?? 0)),
  }
}

describe('failures more frequent than usual', () => {
  test('are found from the hour in which they began, with what was to be expected since then', () => {
    const found = findDeviation(examined(ending(period(2, 100), [40, 50, 30]), [period(2, 100), period(2, 100)]))
    assert(found)
    const { first, last, count, usual, isNew } = found
    assert.deepEqual([first, last, count, isNew], [21, 23, 120, false])
    assert(usual >= 6 && usual < 15)
  })

  test('that have ended are found with their last hour', () => {
    const spike = even(1).map((count, at) => (at === 5 || at === 6 ? 60 : count))
    const found = findDeviation(examined({ counts: spike, wholes: even(200) }, [period(1, 200)]))
    assert.deepEqual([found?.first, found?.last], [5, 6])
  })

  test('are none if there is as much more mail, or if it is the same every week', () => {
    const week = ending(period(2, 100), [40, 50, 30])
    assert.equal(findDeviation(examined(week, [week, week, week])), undefined)
    assert.equal(findDeviation(examined(period(40, 2000), [period(2, 100), period(2, 100)])), undefined)
  })

  test('are still found if one of the weeks before had the same trouble', () => {
    const week = ending(period(2, 100), [40, 50, 30])
    assert(findDeviation(examined(week, [week, period(2, 100), period(2, 100)])))
  })

  test('are none below the floor, however rare they were', () => {
    assert.equal(findDeviation(examined(ending(period(0, 100), [10, 9]), [period(0, 100)])), undefined)
    assert(findDeviation(examined(ending(period(0, 100), [15, 10]), [period(0, 100)])))
  })

  test('are none if they hardly matter among all mail', () => {
    const now = ending(period(0, 100_000), [15, 15])
    assert.equal(findDeviation(examined(now, [period(0, 100_000)])), undefined)
  })

  test('of a provider or an address without earlier mail are marked as new, those of a new kind are not', () => {
    const now = ending(period(0, 100), [40, 50])
    const isNew = (...usual: readonly HourCounts[]) => findDeviation(examined(now, usual))?.isNew
    assert.equal(isNew(period(0, 0), period(0, 0)), true)
    assert.equal(isNew(period(0, 0), period(0, 1)), false)
  })

  test('without history, only high shares are found', () => {
    assert(findDeviation(examined(ending(period(0, 20), [40, 50]), [])))
    assert.equal(findDeviation(examined(period(2, 100), [])), undefined)
  })

  test('an hour that has just begun is compared with the part of it that is over', () => {
    const usual = [period(60, 1000), period(60, 1000)]
    // Half of an hour's mail bounces, in its first minutes.
    const now = ending(period(60, 1000), [40])
    const wholes = now.wholes.map((whole, at) => (at === HOURS - 1 ? 80 : whole))
    assert(findDeviation(examined({ ...now, wholes }, usual, { elapsed: 0.05 })))
    assert.equal(findDeviation(examined({ ...now, wholes }, usual, { elapsed: 1 })), undefined)
  })

  test('chance alone is not: none in many ordinary days of any volume', () => {
    const random = createSeededRandom(7)
    const poisson = (mean: number): number => {
      let [events, product] = [0, random.next()]
      for (const limit = Math.exp(-mean); product > limit; events++) product *= random.next()
      return events
    }
    let found = 0
    for (let day = 0; day < 1500; day++) {
      const mean = [0.2, 0.5, 1, 2, 4, 10][day % 6] ?? 1
      const draw = (): HourCounts => {
        const counts = even(0).map((_, hour) => poisson(mean * (1 + Math.sin(hour / 4))))
        return { counts, wholes: counts.map((count) => count + Math.round(mean * 20)) }
      }
      if (findDeviation(examined(draw(), [draw(), draw(), draw(), draw()]))) found++
    }
    assert.equal(found, 0)
  })
})
