import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { listOpenDays } from '../../../../test/harness/storage/open-days.ts'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import type { DayTrouble } from '../../storage.ts'
import { Database } from '../database/database.ts'
import type { Day } from '../days/day.ts'
import type { DayCommit } from '../days/day-commit.ts'
import { DayFiles } from '../days/day-files.ts'
import { DayWriters } from './day-writers.ts'
import { toEventRow } from './event-row.ts'

const NOON = 1_772_366_400
const [TODAY, TOMORROW] = ['2026-03-01', '2026-03-02'] as const

function row(id: string, timestamp: number) {
  const event = { id, timestamp, type: 'Delivery' as const, domain_name: 'a.test', recipient: 'u@b.test' }
  return toEventRow({ domainNumber: 1, event })
}

/** Files of which one cannot be committed to for a while. */
class FailingFiles extends DayFiles {
  failing: Day | undefined

  override openForWriting(day: Day, cacheKib: number): Database {
    const isFailing = () => this.failing === day
    class FailingDatabase extends Database {
      override execute(sql: string): void {
        if (sql === 'COMMIT' && isFailing()) throw Object.assign(new Error('disk I/O error'), { errcode: 10 })
        super.execute(sql)
      }
    }
    super.openForWriting(day, cacheKib).close()
    return new FailingDatabase(this.path(day), { cacheKib })
  }
}

test('if a day of a batch fails, only the requests that have events of it are refused, and the others are duplicates later', () => {
  using folder = openTemporaryFolder()
  const files = new FailingFiles(folder.path)
  const writers = new DayWriters(files, () => false)
  const batch = [[row('a', NOON), row('b', NOON + 86_400)], [row('c', NOON)]]
  files.failing = TOMORROW
  const commits: DayCommit[] = []
  const { requests, failure } = writers.store(batch, 0, commits)
  assert.deepEqual(requests, [
    { setAside: [], stored: 1 },
    { stored: 1, duplicates: 0, expired: [] },
  ])
  assert.match(String(failure), /disk I\/O error/)
  assert.deepEqual(
    commits.map(({ day, arrivalBefore, arrival }) => ({ day, arrivalBefore, arrival })),
    [{ day: TODAY, arrivalBefore: 0, arrival: 2 }],
  )
  files.failing = undefined
  const repeated = writers.store(batch, 0)
  assert.deepEqual(repeated.requests, [
    { stored: 1, duplicates: 1, expired: [] },
    { stored: 0, duplicates: 1, expired: [] },
  ])
  assert.deepEqual(
    repeated.commits.map(({ day, arrivalBefore, arrival }) => ({ day, arrivalBefore, arrival })),
    [
      { day: TODAY, arrivalBefore: 2, arrival: 2 },
      { day: TOMORROW, arrivalBefore: 0, arrival: 1 },
    ],
  )
  writers.close()
})

test('the days after one that fails are stored as well', () => {
  using folder = openTemporaryFolder()
  const files = new FailingFiles(folder.path)
  const writers = new DayWriters(files, () => false)
  files.failing = TODAY
  const commits: DayCommit[] = []
  const batch = [[row('a', NOON), row('b', NOON + 86_400)]]
  assert.deepEqual(writers.store(batch, 0, commits).requests, [{ setAside: [], stored: 1 }])
  assert.deepEqual(
    commits.map(({ day }) => day),
    [TOMORROW],
  )
  files.failing = undefined
  assert.deepEqual(writers.store(batch, 0).requests, [{ stored: 1, duplicates: 1, expired: [] }])
  writers.close()
})

test('three days stay open, those that were written last; a batch of more days has them all, for as long as it takes', () => {
  using folder = openTemporaryFolder()
  const files = new DayFiles(folder.path)
  const writers = new DayWriters(files, () => false)
  const store = (...days: readonly number[]) =>
    writers.store([days.map((day) => row(`m${day}`, NOON + day * 86_400))], 0).requests
  for (const day of [0, 1, 2]) store(day)
  assert.deepEqual(listOpenDays(files), ['2026-03-01', '2026-03-02', '2026-03-03'])
  store(0)
  store(3)
  assert.deepEqual(listOpenDays(files), ['2026-03-01', '2026-03-03', '2026-03-04'])
  assert.deepEqual(store(4, 5, 6, 7, 8), [{ stored: 5, duplicates: 0, expired: [] }])
  store(8)
  assert.ok(listOpenDays(files).length <= 5)
  store(9)
  assert.equal(listOpenDays(files).length, 3)
  assert.equal(listOpenDays(files).at(-1), '2026-03-10')
  writers.close()
  assert.deepEqual(listOpenDays(files), [])
})

test('events of a day that is gone or of a domain that was removed are expired, and the others are stored', () => {
  using folder = openTemporaryFolder()
  const files = new DayFiles(folder.path)
  const isRemovedDomain = (domain: number) => domain === 2
  const writers = new DayWriters(files, (day) => day === TODAY, { isRemovedDomain })
  const other = { ...row('c', NOON + 86_400), domain: 2 }
  const { requests, commits } = writers.store([[row('a', NOON), row('b', NOON + 86_400), other]], 0)
  assert.deepEqual(requests, [{ stored: 1, duplicates: 0, expired: [0, 2] }])
  assert.deepEqual(
    commits.map(({ day }) => day),
    [TOMORROW],
  )
  assert.deepEqual(files.listAll(), [TOMORROW])
  writers.close()
})

test('the time of commits never goes back, whatever the clock says', () => {
  using folder = openTemporaryFolder()
  const writers = new DayWriters(new DayFiles(folder.path), () => false)
  const stamp = (id: string, nowMs: number) => {
    const [commit] = writers.store([[row(id, NOON)]], nowMs).commits
    return [commit?.committedAtMs, commit?.storedAtMs]
  }
  const startMs = Date.now() + 1_000_000
  assert.deepEqual(stamp('a', startMs), [startMs, startMs])
  assert.deepEqual(stamp('b', 5), [5, startMs])
  assert.deepEqual(stamp('c', startMs + 1), [startMs + 1, startMs + 1])
  writers.close()
})

describe('a day is set aside', () => {
  const failure = (errcode: number, message = 'failed') => Object.assign(new Error(message), { errcode })

  function openWriters() {
    const folder = openTemporaryFolder()
    const troubles: DayTrouble[] = []
    const writers = new DayWriters(new DayFiles(folder.path), () => false, {
      onTrouble: (trouble) => troubles.push(trouble),
    })
    const outcome = (id: string) => writers.store([[row(id, NOON)]], 0).requests[0]
    const close = () => {
      writers.close()
      folder[Symbol.dispose]()
    }
    return { writers, troubles, outcome, [Symbol.dispose]: close }
  }
  const STORED = { stored: 1, duplicates: 0, expired: [] }

  test('at once if it is damaged, until it is taken back; other days are not', () => {
    using scene = openWriters()
    const { writers, outcome, troubles } = scene
    assert.deepEqual(outcome('a'), STORED)
    assert.equal(writers.setAsideIfDamaged(TODAY, failure(11)), true)
    assert.deepEqual(
      troubles.map(({ day, kind }) => [day, kind]),
      // Whether the file or only the disk is at fault is examined afterwards.
      [[TODAY, 'unreadable']],
    )
    assert.match(troubles[0]?.detail ?? '', /now read to find out/)
    assert.doesNotMatch(troubles[0]?.detail ?? '', /repair|restore/)
    assert.deepEqual(outcome('b'), { setAside: [TODAY], stored: 0 })
    assert.deepEqual(writers.store([[row('c', NOON + 86_400)]], 0).requests, [STORED])
    writers.takeBack(TODAY)
    assert.deepEqual(outcome('b'), STORED)
  })

  test('after a second error of reading, unless a commit came in between or it was taken back', () => {
    using scene = openWriters()
    const { writers, outcome, troubles } = scene
    const fails = () => writers.setAsideIfDamaged(TODAY, failure(266))
    assert.equal(fails(), false)
    assert.deepEqual(outcome('a'), STORED)
    assert.equal(fails(), false)
    assert.equal(troubles.length, 0)
    assert.equal(writers.setAsideIfDamaged(TOMORROW, failure(266)), false)
    assert.equal(fails(), true)
    assert.equal(troubles.length, 1)
    writers.takeBack(TODAY)
    assert.equal(fails(), false)
    assert.deepEqual(outcome('b'), STORED)
  })

  test('not because the disk is full, or because of a bug', () => {
    using scene = openWriters()
    const { writers, troubles } = scene
    for (const error of [failure(13), failure(10), failure(1, 'syntax error'), new Error('bug')])
      assert.equal(writers.setAsideIfDamaged(TODAY, error), false)
    assert.deepEqual(troubles, [])
  })

  test('with those that are named, and the others are taken back', () => {
    using scene = openWriters()
    const { writers, outcome } = scene
    writers.setAsideOnly([TODAY])
    assert.deepEqual(outcome('a'), { setAside: [TODAY], stored: 0 })
    writers.setAsideOnly([TOMORROW])
    assert.deepEqual(outcome('a'), STORED)
    assert.deepEqual(writers.store([[row('b', NOON + 86_400)]], 0).requests, [{ setAside: [TOMORROW], stored: 0 }])
  })
})
