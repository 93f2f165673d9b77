import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { DayWriters } from '../writing/day-writers.ts'
import { toEventRow } from '../writing/event-row.ts'
import { dayOfTimestamp } from './day.ts'
import { DayFiles } from './day-files.ts'
import { hashId } from './message-identity.ts'
import { MessageIds } from './message-ids.ts'
import { countMessages } from './message-key.ts'

const NOON = 1_772_366_400
/** More than are loaded at once. */
const MESSAGES = 25_000

function row(id: string) {
  const event = { id, timestamp: NOON, type: 'Delivery' as const, domain_name: 'a.test', recipient: 'u@b.test' }
  return toEventRow({ domainNumber: 1, event })
}

test('contains every id of the day, including later commits, and few others', () => {
  using folder = openTemporaryFolder()
  const files = new DayFiles(folder.path)
  const writers = new DayWriters(files, () => false)
  writers.store([Array.from({ length: MESSAGES }, (_, index) => row(`early-${index}`))], 0)
  const db = files.openForReading(dayOfTimestamp(NOON), 1000)
  const ids = new MessageIds(countMessages(db))
  let parts = 1
  for (const _ of ids.load(db)) {
    // A commit between two parts of the loading is learned like any other.
    const { commits } = writers.store([Array.from({ length: 1000 }, (_, index) => row(`late-${index}`))], 0)
    if (parts++ === 1) for (const commit of commits) assert.equal(ids.learn(commit.messageIds), true)
  }
  assert.ok(parts > 1)
  db.close()
  writers.close()

  for (let index = 0; index < MESSAGES; index++) assert.ok(ids.mayHave(hashId(`early-${index}`)), `${index}`)
  for (let index = 0; index < 1000; index++) assert.ok(ids.mayHave(hashId(`late-${index}`)), `${index}`)
  const mistaken = Array.from({ length: 10_000 }, (_, index) => ids.mayHave(hashId(`absent-${index}`))).filter(Boolean)
  assert.ok(mistaken.length < 300, `${mistaken.length} of 10,000 absent ids are taken for present`)
})

test('reports when the day has outgrown it', () => {
  using folder = openTemporaryFolder()
  const files = new DayFiles(folder.path)
  files.openForWriting(dayOfTimestamp(NOON), 1000).close()
  const db = files.openForReading(dayOfTimestamp(NOON), 1000)
  const ids = new MessageIds(countMessages(db))
  for (const _ of ids.load(db));
  db.close()
  assert.equal(ids.learn(Array.from({ length: 2000 }, (_, hash) => hash)), false)
})
