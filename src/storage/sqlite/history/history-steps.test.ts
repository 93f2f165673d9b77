/** The history index step by step: which days are summarized when, and what is reported. */
import assert from 'node:assert/strict'
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { Database } from '../database/database.ts'
import { type Day, dayOfTimestamp } from '../days/day.ts'
import { DayFiles } from '../days/day-files.ts'
import { DayWriters } from '../writing/day-writers.ts'
import { toEventRow } from '../writing/event-row.ts'
import { historyPath } from './history-database.ts'
import type { HistoryNotice } from './history-notice.ts'
import { HistoryWriter } from './history-writer.ts'
import { numberOfDay } from './span.ts'

const NOON = 1_772_366_400
/** Of commits: later than the files themselves, which are not older than their last commit. */
const BASE_MS = 4_000_000_000_000
const [FIRST, SECOND, THIRD] = [0, 1, 2].map((day) => dayOfTimestamp(NOON + day * 86_400)) as [Day, Day, Day]

function rowsOf(day: number, count: number) {
  return Array.from({ length: count }, (_, index) => {
    const event = { id: `m${index}`, timestamp: NOON + day * 86_400, type: 'Delivery', domain_name: 'a.test' } as const
    return toEventRow({ domainNumber: 1, event: { ...event, recipient: 'u@b.test' } })
  })
}

function openScene(quietMs = 0) {
  const folder = openTemporaryFolder()
  const files = new DayFiles(folder.path)
  const busy = new Set<Day>()
  const notices: HistoryNotice[] = []
  const store = (day: number, count: number, nowMs: number) => {
    const writers = new DayWriters(files, () => false)
    writers.store([rowsOf(day, count)], BASE_MS + nowMs)
    writers.close()
  }
  // The last has the most.
  for (const day of [0, 1, 2]) store(day, day + 1, 1000 * (day + 1))
  const isBusy = (day: Day) => busy.has(day)
  const open = () =>
    new HistoryWriter({ dataDir: folder.path, files, isBusy, quietMs, notify: (notice) => notices.push(notice) })
  const writer = open()
  return {
    path: folder.path,
    files,
    busy,
    writer,
    store,
    /** Works until there is nothing to do; returns how long to wait then. */
    work(by = writer): number {
      for (let steps = 0; ; steps++) {
        assert.ok(steps < 10_000)
        const waitMs = by.step()
        if (waitMs > 0) return waitMs
      }
    },
    /** What was reported since the last call. */
    take: () =>
      notices.splice(0).map(({ notice, ...rest }) => {
        assert.equal(notice, 'history')
        return rest
      }),
    open,
    listDays: () => {
      using db = new Database(historyPath(folder.path), { readOnly: true })
      return db.allArrays<number[]>('SELECT day, is_open FROM day ORDER BY day')
    },
    [Symbol.dispose]() {
      writer.close()
      folder[Symbol.dispose]()
    },
  }
}

const summarized = (day: Day, count: number, storedAtMs: number, remaining: number) => ({
  summarized: [{ day, arrival: count, events: count, storedAtMs: BASE_MS + storedAtMs }],
  remaining,
})

test('days are summarized newest first, and each is reported with those that remain', () => {
  using scene = openScene()
  assert.deepEqual(scene.take(), [{ summarized: [], remaining: 3 }])
  assert.equal(scene.work(), 5000)
  const expected = [summarized(THIRD, 3, 3000, 2), summarized(SECOND, 2, 2000, 1), summarized(FIRST, 1, 1000, 0)]
  assert.deepEqual(scene.take(), expected)
  assert.deepEqual(
    scene.listDays(),
    [FIRST, SECOND, THIRD].map((day) => [numberOfDay(day), 0]),
  )
  // Known from the start.
  const again = scene.open()
  assert.deepEqual(scene.take(), [{ summarized: [], remaining: 0 }])
  assert.equal(scene.work(again), 5000)
  assert.deepEqual(scene.take(), [])
  again.close()
})

test('a day that is opened for writing is marked at once, left alone while it is busy, and summarized again after', () => {
  using scene = openScene()
  scene.work()
  scene.take()
  scene.busy.add(SECOND)
  scene.writer.reopen(SECOND)
  assert.deepEqual(scene.listDays()[1], [numberOfDay(SECOND), 1])
  scene.writer.reopen(FIRST)
  scene.store(1, 5, 9000)
  scene.store(0, 4, 8000)
  assert.equal(scene.work(), 5000)
  // The busy one is not counted among those that remain.
  assert.deepEqual(scene.take(), [summarized(FIRST, 4, 8000, 0)])
  scene.busy.clear()
  scene.work()
  assert.deepEqual(scene.take(), [summarized(SECOND, 5, 9000, 0)])
})

test('a day that is opened while it is being summarized is begun again later', () => {
  using scene = openScene()
  // Takes longer than a step.
  scene.writer.reopen(THIRD)
  scene.store(2, 5000, 7000)
  scene.take()
  assert.equal(scene.writer.step(), 0)
  assert.deepEqual(scene.take(), [])
  scene.busy.add(THIRD)
  scene.writer.reopen(THIRD)
  scene.work()
  assert.deepEqual(scene.take(), [summarized(SECOND, 2, 2000, 1), summarized(FIRST, 1, 1000, 0)])
  scene.busy.clear()
  scene.work()
  assert.deepEqual(scene.take(), [summarized(THIRD, 5000, 7000, 0)])
})

describe('a day whose last commits are not in the file itself', () => {
  /** Stored while somebody reads, so that they stay in the WAL. */
  const storeBesides = (scene: ReturnType<typeof openScene>) => {
    const reader = scene.files.openForReading(THIRD, 1000)
    reader.hold()
    assert.equal(reader.number('SELECT arrival FROM day'), 3)
    scene.store(2, 5, 9000)
    assert.ok(statSync(`${scene.files.path(THIRD)}-wal`).size > 0)
    return reader
  }

  test('is completed first', () => {
    using scene = openScene()
    storeBesides(scene).close()
    scene.take()
    scene.work()
    assert.deepEqual(scene.take()[0], summarized(THIRD, 5, 9000, 2))
  })

  test('waits while it is read, and remains to be done', () => {
    using scene = openScene(60_000)
    const reader = storeBesides(scene)
    scene.take()
    assert.equal(scene.work(), 5000)
    // It remains.
    assert.deepEqual(scene.take(), [summarized(SECOND, 2, 2000, 2), summarized(FIRST, 1, 1000, 1)])
    reader.close()
  })
})

test('a day that was just opened is left alone for a while', () => {
  using scene = openScene(60_000)
  scene.writer.reopen(THIRD)
  scene.work()
  assert.deepEqual(
    scene.take().flatMap((notice) => ('summarized' in notice ? notice.summarized.map(({ day }) => day) : [])),
    [SECOND, FIRST],
  )
})

test('days before 1970, and too far ahead for their keys, are not indexed', () => {
  using scene = openScene()
  for (const day of ['1969-12-31', '2400-01-01']) {
    scene.writer.reopen(day)
    const other = new DayWriters(scene.files, () => false)
    const timestamp = Date.parse(day) / 1000
    const event = { id: 'm', timestamp, type: 'Delivery', domain_name: 'a.test', recipient: 'u@b.test' } as const
    if (timestamp > 0) other.store([[toEventRow({ domainNumber: 1, event })]], 1)
    other.close()
  }
  scene.work()
  assert.equal(scene.listDays().length, 3)
  const again = scene.open()
  assert.deepEqual(scene.take().at(-1), { summarized: [], remaining: 0 })
  again.close()
})

test('a day without a file leaves the index, and is waited for no longer', () => {
  using scene = openScene()
  scene.work()
  scene.take()
  scene.writer.reopen(FIRST)
  for (const day of [FIRST, SECOND]) rmSync(scene.files.path(day))
  scene.writer.dropRemoved()
  assert.equal(scene.work(), 5000)
  assert.deepEqual(scene.listDays(), [[numberOfDay(THIRD), 0]])
  scene.writer.reopen(THIRD)
  scene.work()
  assert.deepEqual(scene.take(), [summarized(THIRD, 3, 3000, 0)])
})

test('a day that cannot be read is reported once, until it is written to again', () => {
  using scene = openScene()
  scene.take()
  const path = scene.files.path(SECOND)
  writeFileSync(path, Buffer.alloc(statSync(path).size, 0xa5))
  scene.work()
  const isFailure = (notice: object) => 'failed' in notice
  const notices = scene.take()
  assert.deepEqual(
    notices.filter(isFailure).map((notice) => 'day' in notice && notice.day),
    [SECOND],
  )
  assert.deepEqual(notices.at(-1), summarized(FIRST, 1, 1000, 0))
  assert.equal(scene.work(), 5000)
  assert.deepEqual(scene.take(), [])
  scene.writer.reopen(SECOND)
  scene.work()
  assert.equal(scene.take().filter(isFailure).length, 1)
})

test('an index that is damaged while it is written is deleted and built again', () => {
  using scene = openScene()
  scene.work()
  scene.take()
  {
    using db = new Database(historyPath(scene.path))
    db.run('UPDATE domain_span SET counts = zeroblob(length(counts))')
  }
  scene.writer.reopen(FIRST)
  scene.store(0, 4, 8000)
  scene.work()
  const [lost, ...others] = scene.take()
  assert.deepEqual(lost, { isLost: true })
  assert.deepEqual(others, [
    { summarized: [], remaining: 3 },
    summarized(THIRD, 3, 3000, 2),
    summarized(SECOND, 2, 2000, 1),
    summarized(FIRST, 4, 8000, 0),
  ])
})

test('one that cannot be opened is tried again after a minute, and needs no marks meanwhile', () => {
  using scene = openScene()
  scene.writer.close()
  scene.take()
  rmSync(historyPath(scene.path))
  mkdirSync(historyPath(scene.path))
  const writer = scene.open()
  assert.deepEqual(scene.take(), [])
  const waitMs = writer.step()
  assert.ok(waitMs > 50_000 && waitMs <= 60_000, `${waitMs}`)
  rmSync(historyPath(scene.path), { recursive: true })
  writer.reopen(FIRST)
  assert.ok(writer.step() > 50_000)
  assert.deepEqual(scene.take(), [])
  // Readers may have opened what this thread could not.
  writeFileSync(historyPath(scene.path), 'x')
  writer.reopen(FIRST)
  assert.deepEqual(scene.take(), [{ isLost: true }])
  assert.equal(statSync(historyPath(scene.path), { throwIfNoEntry: false }), undefined)
  writer.close()
})
