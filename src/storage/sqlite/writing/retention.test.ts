import assert from 'node:assert/strict'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTestStorage } from '../../../../test/harness/storage/sqlite-storage.ts'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import type { EmailEvent } from '../../../events/event.ts'
import type { Storage } from '../../storage.ts'
import { openControlDatabase } from '../control/control-database.ts'
import { DayFiles } from '../days/day-files.ts'
import { openSqliteStorage } from '../open-sqlite-storage.ts'
import { DayWriters } from './day-writers.ts'
import { toEventRow } from './event-row.ts'
import { removeDaysBefore } from './retention.ts'

const DAY = 86_400
/** 2026-03-01T00:00:00Z */
const FIRST = 1_772_323_200

function bounce(timestamp: number, id = `m${timestamp}`): EmailEvent {
  return { id, timestamp, type: 'Bounce', domain_name: 'a.test', recipient: 'u@b.test' }
}

function append(storage: Storage, ...events: EmailEvent[]) {
  return storage.log.append(events.map((event) => ({ domainNumber: 1, event })))
}

async function list(storage: Storage): Promise<readonly number[]> {
  const window = { startTimestamp: 0, endTimestamp: FIRST * 2 }
  const domains = [{ number: 1, name: 'a.test' }]
  const page = await storage.log.list({ domains, filters: {}, window, limit: 100, budgetMs: 1000 })
  return page.events.map((text) => (JSON.parse(text) as EmailEvent).timestamp)
}

test('retention removes whole days that are over, keeps their counts, and touches no newer day', async () => {
  await using storage = await openTestStorage()
  await append(storage, bounce(FIRST), bounce(FIRST + DAY - 1), bounce(FIRST + DAY), bounce(FIRST + 2 * DAY))
  assert.deepEqual(await storage.log.removeBefore((FIRST + 2 * DAY) * 1000 - 1), ['2026-03-01'])
  assert.deepEqual(await list(storage), [FIRST + 2 * DAY, FIRST + DAY])
  assert.equal((await storage.log.counts([1])).get(1)?.bounce, 4)
  assert.deepEqual(
    readdirSync(join(storage.dataDir, 'events')).filter((name) => name.includes('2026-03-01')),
    [],
  )
  assert.deepEqual(await storage.log.removeBefore((FIRST + 2 * DAY) * 1000 - 1), [])
})

test('a day that was removed accepts no more events: repeated ones could not be recognized', async () => {
  await using storage = await openTestStorage()
  await append(storage, bounce(FIRST))
  await storage.log.removeBefore((FIRST + DAY) * 1000)
  const result = await append(storage, bounce(FIRST), bounce(FIRST + DAY))
  assert.deepEqual(result, { stored: 1, duplicates: 0, expired: [0] })
  assert.equal((await storage.log.counts([1])).get(1)?.bounce, 2)
})

test('a crash after the counts were added to the totals and before the file was deleted counts nothing twice', async () => {
  await using storage = await openTestStorage()
  await append(storage, bounce(FIRST), bounce(FIRST + DAY))
  const control = openControlDatabase(storage.dataDir)
  control.run("INSERT INTO total (domain_number, type, count, changed_at_ms) VALUES (1, 'Bounce', 1, 5)")
  control.run("INSERT INTO folded_day (day) VALUES ('2026-03-01')")
  control.close()
  assert.equal((await storage.log.counts([1])).get(1)?.bounce, 2)
  assert.deepEqual(await storage.log.removeBefore(0), ['2026-03-01'], 'the next run finishes the deletion')
  assert.equal((await storage.log.counts([1])).get(1)?.bounce, 2)
})

test('a crash at any earlier point leaves the day as it was', async () => {
  await using storage = await openTestStorage()
  await append(storage, bounce(FIRST))
  const control = openControlDatabase(storage.dataDir)
  const files = new DayFiles(storage.dataDir)
  // The control file cannot be written: another connection holds its lock.
  const other = openControlDatabase(storage.dataDir)
  control.execute('PRAGMA busy_timeout = 0')
  other.transaction(() => {
    assert.throws(
      () => removeDaysBefore(control, files, new DayWriters(files, () => false), (FIRST + DAY) * 1000),
      /locked/,
    )
  })
  other.close()
  control.close()
  assert.deepEqual(await list(storage), [FIRST])
  assert.equal((await storage.log.counts([1])).get(1)?.bounce, 1)
  assert.deepEqual(await storage.log.removeBefore((FIRST + DAY) * 1000), ['2026-03-01'])
})

test('a writer that still has the removed day open refuses its events', async () => {
  await using storage = await openTestStorage()
  const files = new DayFiles(storage.dataDir)
  const late = new DayWriters(files, () => false)
  const row = (id: string) => toEventRow({ domainNumber: 1, event: bounce(FIRST, id) })
  late.store([[row('one')]], 0)
  await storage.log.removeBefore((FIRST + DAY) * 1000)
  assert.deepEqual(late.store([[row('two')]], 0).requests, [{ stored: 0, duplicates: 0, expired: [0] }])
  late.close()
  assert.equal(existsSync(files.path('2026-03-01')), false)
})

test('a day that cannot be read does not prevent the removal of others, and removed days are no longer listed', async () => {
  using folder = openTemporaryFolder()
  const open = () =>
    openSqliteStorage({ dataDir: folder.path, clock: Date.now, serviceMessageIdField: 'service_message_id' })
  const before = await open()
  await append(before, bounce(FIRST), bounce(FIRST + DAY), bounce(FIRST + 2 * DAY))
  await before.close()
  const files = new DayFiles(folder.path)
  const storage = await open()
  assert.equal((await list(storage)).length, 3)
  writeFileSync(files.path('2026-03-02'), Buffer.alloc(8192, 1))
  assert.deepEqual(await storage.log.removeBefore((FIRST + 2 * DAY) * 1000), ['2026-03-01'])
  assert.deepEqual(files.list(), ['2026-03-03', '2026-03-02'])
  assert.deepEqual(
    storage.capabilities.troubles?.list().map(({ day, kind }) => [day, kind]),
    [['2026-03-02', 'damaged']],
  )
  // Known to be damaged now: it has expired as well, and what can be read of it is counted.
  assert.deepEqual(await storage.log.removeBefore((FIRST + 2 * DAY) * 1000), ['2026-03-02'])
  assert.deepEqual(files.list(), ['2026-03-03'])
  assert.deepEqual(await list(storage), [FIRST + 2 * DAY])
  await storage.close()
})

test('a file that does not belong to a day is not touched', async () => {
  await using storage = await openTestStorage()
  const stranger = join(storage.dataDir, 'events', 'notes.db')
  writeFileSync(stranger, 'mine')
  await storage.log.removeBefore(Date.now())
  assert.ok(existsSync(stranger))
})
