import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { dayOfTimestamp } from './day.ts'
import { DayFiles } from './day-files.ts'
import { DayWriters } from './day-writers.ts'
import { toEventRow } from './event-row.ts'

const NOON = 1_772_366_400
const COMMITS = 10
const LATER_MS = 60_000

function rowsOf(commit: number) {
  return Array.from({ length: 100 }, (_, index) => {
    const event = { id: `m${commit}-${index}`, timestamp: NOON, type: 'Delivery' as const, domain_name: 'a.test' }
    return toEventRow({ domainNumber: 1, event: { ...event, recipient: `user${commit}.${index}@b.test` } })
  })
}

test('the search index of a day is merged when the day is at rest, and not while it is written to', () => {
  using folder = openTemporaryFolder()
  const files = new DayFiles(folder.path)
  const writers = new DayWriters(files, () => false)
  for (let commit = 0; commit < COMMITS; commit++) writers.store([rowsOf(commit)], 0)
  const db = files.openForReading(dayOfTimestamp(NOON), 1000)
  const segments = () =>
    db.get<{ count: number }>('SELECT count(DISTINCT segid) AS count FROM message_text_idx')?.count ?? 0
  const before = segments()
  assert.ok(before > 1)

  const now = performance.now()
  const waitMs = writers.tidy(now)
  assert.ok(waitMs !== undefined && waitMs > 0 && waitMs < LATER_MS, `${waitMs}`)
  assert.equal(segments(), before)

  while (writers.tidy(now + LATER_MS) === 0);
  assert.equal(segments(), 1)
  assert.equal(writers.tidy(now + LATER_MS), undefined)
  const found = db.all("SELECT rowid FROM message_text WHERE message_text MATCH 'ser'")
  assert.equal(found.length, COMMITS * 100)
  db.close()
  writers.close()
})
