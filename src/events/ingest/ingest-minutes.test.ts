import assert from 'node:assert/strict'
import { test } from 'node:test'
import { IngestMinutes } from './ingest-minutes.ts'

const result = (stored: number, duplicates = 0, rejected = 0) => ({
  stored,
  duplicates,
  rejected: Array.from({ length: rejected }, (_, index) => ({ index, error: 'x' })),
})

test('an hour of minutes, oldest first, with the counts of each', () => {
  let nowMs = 1_700_000_040_000
  const minutes = new IngestMinutes(() => nowMs)
  minutes.add(result(3, 1, 2))
  minutes.add(result(4))
  nowMs += 60_000
  minutes.add(result(5))
  const listed = minutes.list()
  assert.equal(listed.length, 60)
  assert.deepEqual(listed.at(-1), { startMs: 1_700_000_100_000, stored: 5, duplicates: 0, rejected: 0 })
  assert.deepEqual(listed.at(-2), { startMs: 1_700_000_040_000, stored: 7, duplicates: 1, rejected: 2 })
  assert.equal(
    listed.slice(0, -2).every(({ stored }) => stored === 0),
    true,
  )
})

test('a minute begins with its first second, and one without records has none', () => {
  const nowMs = 1_700_000_099_999
  const minutes = new IngestMinutes(() => nowMs)
  minutes.add(result(1))
  assert.equal(minutes.lastStoredAtMs, nowMs)
  const last = { startMs: 1_700_000_040_000, stored: 1, duplicates: 0, rejected: 0 }
  const expected = Array.from({ length: 60 }, (_, back) => ({
    ...last,
    startMs: last.startMs - 60_000 * back,
    stored: 0,
  }))
  assert.deepEqual(minutes.list(), expected.with(0, last).toReversed())
})

test('minutes older than an hour are forgotten, and a batch without a stored event does not change the last time', () => {
  let nowMs = 1_700_000_040_000
  const minutes = new IngestMinutes(() => nowMs)
  assert.equal(minutes.lastStoredAtMs, undefined)
  minutes.add(result(3))
  nowMs += 3_600_000
  minutes.add(result(0, 1))
  assert.equal(minutes.lastStoredAtMs, 1_700_000_040_000)
  assert.deepEqual(
    minutes.list().reduce((sum, { stored, duplicates }) => sum + stored + duplicates, 0),
    1,
  )
})

test('after the clock was set back, no more than an hour of minutes is kept', () => {
  let nowMs = 1_700_000_040_000
  const minutes = new IngestMinutes(() => nowMs)
  minutes.add(result(3))
  nowMs -= 7_200_000
  minutes.add(result(5))
  nowMs += 7_200_000
  assert.equal(
    minutes.list().reduce((sum, { stored }) => sum + stored, 0),
    0,
  )
})
