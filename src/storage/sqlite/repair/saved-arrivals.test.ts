/** The order of arrival of a repaired day: nothing that is left moves, what is lost is counted in its hour. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { Database } from '../database/database.ts'
import { ArrivalBatch, readArrivalBatch } from '../days/arrival-batch.ts'
import { toPosition } from '../days/day.ts'
import { SavedArrivals } from './saved-arrivals.ts'

const HOUR = 3600

type Arrived = readonly [secondOfDay: number, domain: number]

function batchOf(first: number, storedAtMs: number, ...events: readonly Arrived[]) {
  const batch = new ArrivalBatch()
  for (const event of events) batch.add(...event)
  return { first, storedAtMs, events: batch.toBytes() }
}

function saved(arrivals: SavedArrivals, arrival: number, [secondOfDay, domain]: Arrived): void {
  arrivals.addEvent({ position: toPosition(secondOfDay, arrival), domain })
}

/** The batches as they are written: number of the first, time, and the events of each. */
function written(arrivals: SavedArrivals) {
  using folder = openTemporaryFolder()
  using db = new Database(join(folder.path, 'x.db'))
  db.execute('CREATE TABLE arrival_batch (first INTEGER PRIMARY KEY, stored_at_ms INTEGER, events BLOB)')
  arrivals.writeBatches(db)
  const rows = db.allArrays<[number, number, Uint8Array]>(
    'SELECT first, stored_at_ms, events FROM arrival_batch ORDER BY first',
  )
  return rows.map(([first, storedAtMs, bytes]) => {
    const events = [...readArrivalBatch(first, bytes)]
    return {
      first,
      storedAtMs,
      events: events.map(({ secondOfDay, domain }): Arrived => [secondOfDay, domain]),
      last: events.at(-1)?.arrival,
    }
  })
}

test('events that are lost are counted in the hour that their batch names, or in none', () => {
  const arrivals = new SavedArrivals()
  arrivals.addBatch(batchOf(1, 10, [0, 1], [HOUR - 1, 1], [HOUR, 2], [24 * HOUR - 1, 2]))
  // A copy of the same batch, and one that goes beyond the last arrival.
  arrivals.addBatch(batchOf(3, 10, [5 * HOUR, 2]))
  arrivals.addBatch(batchOf(7, 11, [2 * HOUR, 1], [2 * HOUR, 1]))
  saved(arrivals, 2, [HOUR - 1, 1])
  arrivals.last = 7
  const byHour = Array.from({ length: 24 }, () => 0)
  Object.assign(byHour, { 0: 1, 1: 1, 2: 1, 23: 1 })
  // 5 and 6 are in no batch.
  assert.deepEqual(arrivals.countLost(), { events: 6, byHour })
})

test('an arrival that was lost before, or whose second is not of a day, is in no hour', () => {
  const arrivals = new SavedArrivals()
  arrivals.addBatch(batchOf(1, 10, [0, 0], [24 * HOUR, 1], [0, 1]))
  arrivals.last = 3
  assert.deepEqual(arrivals.countLost().byHour.slice(0, 2), [1, 0])
  assert.equal(arrivals.countLost().events, 1)
})

test('nothing is lost of a whole day', () => {
  const arrivals = new SavedArrivals()
  const events = [
    [0, 1],
    [HOUR, 2],
  ] as const
  arrivals.addBatch(batchOf(1, 10, ...events))
  for (const [index, event] of events.entries()) saved(arrivals, index + 1, event)
  assert.equal(arrivals.countLost().events, 0)
  assert.equal(arrivals.last, 2)
})

test('batches are written in order without gaps; each event keeps its number, a lost one is nobody’s', () => {
  const arrivals = new SavedArrivals()
  arrivals.addBatch(batchOf(5, 30, [7, 3]))
  arrivals.addBatch(batchOf(2, 20, [5, 1], [6, 2]))
  saved(arrivals, 2, [5, 1])
  saved(arrivals, 4, [0, 9])
  saved(arrivals, 5, [7, 3])
  saved(arrivals, 6, [24 * HOUR - 1, 4])
  assert.deepEqual(written(arrivals), [
    {
      first: 2,
      storedAtMs: 20,
      events: [
        [5, 1],
        [0, 0],
        [0, 9],
      ],
      last: 4,
    },
    {
      first: 5,
      storedAtMs: 30,
      events: [
        [7, 3],
        [24 * HOUR - 1, 4],
      ],
      last: 6,
    },
  ])
})

test('without any batch they begin with the first arrival; times never go back', () => {
  const arrivals = new SavedArrivals()
  saved(arrivals, 2, [5, 1])
  assert.deepEqual(written(arrivals), [
    {
      first: 1,
      storedAtMs: 0,
      events: [
        [0, 0],
        [5, 1],
      ],
      last: 2,
    },
  ])
  arrivals.addBatch(batchOf(1, 50, [5, 1]))
  arrivals.addBatch(batchOf(2, 40, [5, 1]))
  assert.deepEqual(
    written(arrivals).map(({ storedAtMs }) => storedAtMs),
    [50, 50],
  )
})

test('numbers far apart are kept, in batches of a limited size', () => {
  const arrivals = new SavedArrivals()
  for (const arrival of [1, 1023, 1024, 1025, 2048, 12_000]) saved(arrivals, arrival, [arrival, arrival])
  const batches = written(arrivals)
  assert.deepEqual(
    batches.map(({ first, last }) => [first, last]),
    [
      [1, 5000],
      [5001, 10_000],
      [10_001, 12_000],
    ],
  )
  const found = batches.flatMap(({ first, events }) =>
    events.flatMap(([second, domain], index) => (domain > 0 ? [[first + index, second, domain]] : [])),
  )
  assert.deepEqual(
    found,
    [1, 1023, 1024, 1025, 2048, 12_000].map((arrival) => [arrival, arrival, arrival]),
  )
})
