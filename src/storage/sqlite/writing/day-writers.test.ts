import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
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
  assert.deepEqual(requests, [{ setAside: [] }, { stored: 1, duplicates: 0, expired: [] }])
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
  assert.deepEqual(writers.store(batch, 0, commits).requests, [{ setAside: [] }])
  assert.deepEqual(
    commits.map(({ day }) => day),
    [TOMORROW],
  )
  files.failing = undefined
  assert.deepEqual(writers.store(batch, 0).requests, [{ stored: 1, duplicates: 1, expired: [] }])
  writers.close()
})
