import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { advance, believe, DOUBT_MS, type RetentionTime, STEP_MS } from './retention-time.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const NOW_MS = Date.UTC(2026, 4, 20, 12)

/** The first run of a process. */
const start = (before: RetentionTime | undefined, clockMs: number, newestEventMs?: number) =>
  advance(before, { clockMs, elapsedMs: undefined, newestEventMs })
/** A later run of the same process, an hour after the last one. */
const hourly = (before: RetentionTime, clockMs: number) =>
  advance(before, { clockMs, elapsedMs: HOUR_MS, newestEventMs: undefined })

/** Runs once an hour, with a clock that goes on from `clockMs`, until it is believed. */
function runUntilBelieved(before: RetentionTime, clockMs: number) {
  const times = [before]
  for (let run = 1; run < 1000; run++) {
    const time = hourly(times.at(-1) ?? before, clockMs + run * HOUR_MS)
    times.push(time)
    if (!time.doubt) return times
  }
  throw new Error('the clock is never believed')
}

describe('a clock that runs as it should', () => {
  test('is followed, across midnight, the end of a year, a leap day and restarts', () => {
    for (const begin of [Date.UTC(2026, 11, 31, 22), Date.UTC(2028, 1, 28, 22), Date.UTC(2027, 1, 28, 22)]) {
      let time = start(undefined, begin, begin - 60_000)
      for (let hours = 1; hours < 60; hours++) {
        const clockMs = begin + hours * HOUR_MS
        time = hours % 7 === 0 ? start(time, clockMs) : hourly(time, clockMs)
        assert.deepEqual(time, believe(clockMs))
      }
    }
  })

  test('is followed after some days of downtime, and after it was corrected by some hours', () => {
    assert.deepEqual(start(believe(NOW_MS), NOW_MS + STEP_MS), believe(NOW_MS + STEP_MS))
    assert.deepEqual(start(believe(NOW_MS), NOW_MS - DAY_MS), believe(NOW_MS - DAY_MS))
    assert.deepEqual(hourly(believe(NOW_MS), NOW_MS + 20 * HOUR_MS), believe(NOW_MS + 20 * HOUR_MS))
  })

  test('is followed without events and without a run before: there is nothing to lose', () => {
    assert.deepEqual(start(undefined, NOW_MS), believe(NOW_MS))
  })
})

describe('a clock that jumps ahead', () => {
  const jumped = NOW_MS + 100 * DAY_MS

  test('is not believed at first sight: at a start, while running, or against the newest event alone', () => {
    const doubt = { offMs: 100 * DAY_MS, waitedMs: 0 }
    assert.deepEqual(start(believe(NOW_MS), jumped), { timeMs: NOW_MS, clockMs: jumped, doubt })
    assert.deepEqual(start(undefined, jumped, NOW_MS), { timeMs: NOW_MS, clockMs: jumped, doubt })
    const running = hourly(believe(NOW_MS), jumped + HOUR_MS)
    assert.deepEqual(running, { timeMs: NOW_MS + HOUR_MS, clockMs: jumped + HOUR_MS, doubt })
  })

  test('is doubted for a day of running time, in which the usual removal continues', () => {
    const times = runUntilBelieved(start(believe(NOW_MS), jumped), jumped)
    const waiting = times.slice(0, DOUBT_MS / HOUR_MS)
    assert.deepEqual(
      waiting.map(({ timeMs }) => timeMs),
      waiting.map((_, run) => NOW_MS + run * HOUR_MS),
    )
    const [caughtUp] = times.slice(waiting.length)
    assert.equal(caughtUp?.timeMs, NOW_MS + DOUBT_MS + STEP_MS)
  })

  test('leads to steps of three days afterwards, in a bounded number of runs: a server that was off for 60 days catches up', () => {
    const offMs = 60 * DAY_MS
    const times = runUntilBelieved(start(believe(NOW_MS), NOW_MS + offMs), NOW_MS + offMs)
    assert.equal(times.length, 1 + DOUBT_MS / HOUR_MS + offMs / STEP_MS - 1)
    for (const [run, { timeMs }] of times.entries()) {
      assert.ok(timeMs - (times[run - 1]?.timeMs ?? timeMs) <= STEP_MS + HOUR_MS)
    }
    assert.equal(times.at(-1)?.timeMs, times.at(-1)?.clockMs)
  })

  test('is doubted anew after a second jump, in either direction', () => {
    const doubted = hourly(start(believe(NOW_MS), jumped), jumped + HOUR_MS)
    assert.equal(doubted.doubt?.waitedMs, HOUR_MS)
    assert.equal(hourly(doubted, jumped + 50 * DAY_MS).doubt?.waitedMs, 0)
    assert.equal(hourly(doubted, jumped - 50 * DAY_MS).doubt?.waitedMs, 0)
  })

  test('is forgotten when it is corrected', () => {
    const doubted = start(believe(NOW_MS), jumped)
    assert.deepEqual(hourly(doubted, NOW_MS + HOUR_MS), believe(NOW_MS + HOUR_MS))
  })

  test('gains at most an hour by a restart, however long the server was stopped by its own account', () => {
    const doubted = start(believe(NOW_MS), jumped)
    assert.equal(start(doubted, jumped + 2 * DAY_MS).doubt?.waitedMs, HOUR_MS)
    assert.equal(start(doubted, jumped + 60_000).doubt?.waitedMs, 60_000)
    assert.equal(start(doubted, jumped - 60_000).doubt?.waitedMs, 0)
  })

  test('continues where it was after a restart, waiting or catching up', () => {
    let time = start(believe(NOW_MS), jumped)
    let runs = 0
    // A server that is restarted every hour.
    for (; time.doubt; runs++) time = start(time, time.clockMs + HOUR_MS)
    assert.ok(runs > DOUBT_MS / HOUR_MS && runs < 70, `${runs} runs`)
  })
})

describe('a clock that jumps back', () => {
  const jumped = NOW_MS - 100 * DAY_MS

  test('is not believed at first sight, so that what was expected is still known when it is corrected', () => {
    const doubted = start(believe(NOW_MS), jumped)
    assert.deepEqual(doubted, { timeMs: NOW_MS, clockMs: jumped, doubt: { offMs: -100 * DAY_MS, waitedMs: 0 } })
    assert.deepEqual(hourly(doubted, NOW_MS + HOUR_MS), believe(NOW_MS + HOUR_MS))
  })

  test('is believed after a day: the clock before may have been the wrong one', () => {
    const times = runUntilBelieved(start(believe(NOW_MS), jumped), jumped)
    assert.equal(times.length, 1 + DOUBT_MS / HOUR_MS)
    assert.equal(times.at(-1)?.timeMs, jumped + DOUBT_MS)
  })
})
