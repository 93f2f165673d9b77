/** The life of a day's file: created, damaged, removed. */
import assert from 'node:assert/strict'
import fs, { closeSync, existsSync, openSync, readdirSync, readlinkSync, writeFileSync, writeSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTestStorage } from '../../../../test/harness/storage/sqlite-storage.ts'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import type { EmailEvent } from '../../../events/event.ts'
import { requireCapability, type Storage } from '../../storage.ts'
import { Database } from '../database/database.ts'
import { openSqliteStorage } from '../open-sqlite-storage.ts'
import { DayFiles } from './day-files.ts'

const DAY_SECONDS = 86_400
/** 2026-03-01T00:00:00Z */
const FIRST = 1_772_323_200
const TODAY = '2026-03-01'
const DOMAINS = [{ number: 1, name: 'a.test' }]

async function openAt(dataDir: string): Promise<Storage & AsyncDisposable> {
  const clock = () => FIRST * 1000
  const storage = await openSqliteStorage({ dataDir, clock, serviceMessageIdField: 'service_message_id' })
  return Object.assign(storage, { [Symbol.asyncDispose]: () => storage.close() })
}

function event(id: string, timestamp = FIRST): EmailEvent {
  return { id, timestamp, type: 'Delivery', domain_name: 'a.test', recipient: 'u@b.test' }
}

function append({ log }: Storage, ...events: EmailEvent[]) {
  return log.append(events.map((one) => ({ domainNumber: 1, event: one })))
}

async function list({ log }: Storage): Promise<readonly string[]> {
  const window = { startTimestamp: 0, endTimestamp: FIRST * 2 }
  const page = await log.list({ domains: DOMAINS, filters: {}, window, limit: 100, budgetMs: 1000 })
  return page.events
}

/** What was renamed, removed and synced, in this order. */
function recordFileCalls(work: () => void): readonly string[] {
  const calls: string[] = []
  const original = { renameSync: fs.renameSync, unlinkSync: fs.unlinkSync, fsyncSync: fs.fsyncSync }
  Object.assign(fs, {
    renameSync: (from: string, to: string) => {
      calls.push(`rename ${to}`)
      original.renameSync(from, to)
    },
    unlinkSync: (path: string) => {
      if (existsSync(path)) calls.push(`remove ${path}`)
      original.unlinkSync(path)
    },
    fsyncSync: (file: number) => {
      calls.push(`sync ${readlinkSync(`/proc/self/fd/${file}`)}`)
      original.fsyncSync(file)
    },
  })
  syncBuiltinESMExports()
  try {
    work()
  } finally {
    Object.assign(fs, original)
    syncBuiltinESMExports()
  }
  return calls
}

test('the name of a new day is durable before anything is stored in it, and its removal before it is reported', () => {
  using folder = openTemporaryFolder()
  const files = new DayFiles(folder.path)
  const created = recordFileCalls(() => files.openForWriting(TODAY, 1024).close())
  assert.ok(created.includes(`rename ${files.path(TODAY)}`), created.join('\n'))
  assert.equal(created.at(-1), `sync ${files.folder}`)
  const removed = recordFileCalls(() => files.remove(TODAY))
  assert.ok(removed.includes(`remove ${files.path(TODAY)}`), removed.join('\n'))
  assert.equal(removed.at(-1), `sync ${files.folder}`)
})

test('nothing is left of a removed day: no file beside it, and none that is deleted but still open', async () => {
  await using storage = await openTestStorage()
  await append(storage, event('one'), event('two', FIRST + DAY_SECONDS))
  assert.equal((await list(storage)).length, 2)
  const folder = join(storage.dataDir, 'events')
  assert.ok(existsSync(join(folder, `${TODAY}.db-wal`)), 'the day is open')
  assert.deepEqual(await storage.log.removeBefore((FIRST + DAY_SECONDS) * 1000), [TODAY])
  assert.equal((await list(storage)).length, 1)
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith(TODAY)),
    [],
  )
  assert.deepEqual(
    openPaths().filter((path) => path.includes(join(folder, TODAY))),
    [],
  )
})

/** Of this process with all its threads. */
function openPaths(): readonly string[] {
  return readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      return [readlinkSync(`/proc/self/fd/${name}`)]
    } catch {
      // The one that listed the folder.
      return []
    }
  })
}

test('a log that was left beside a removed day is removed with it', () => {
  using folder = openTemporaryFolder()
  const files = new DayFiles(folder.path)
  files.openForWriting(TODAY, 1024).close()
  for (const suffix of ['-wal', '-shm']) writeFileSync(files.path(TODAY) + suffix, 'left over')
  files.remove(TODAY)
  assert.deepEqual(readdirSync(files.folder), [])
})

test('a log that was left beside a lost day is not applied to the new one', () => {
  using folder = openTemporaryFolder()
  const files = new DayFiles(folder.path)
  const path = files.path(TODAY)
  const lost = files.openForWriting(TODAY, 1024)
  lost.run('CREATE TABLE left_over (x)')
  const log = fs.readFileSync(`${path}-wal`)
  lost.close()
  fs.unlinkSync(path)
  writeFileSync(`${path}-wal`, log)
  const created = files.openForWriting(TODAY, 1024)
  const count = created.number("SELECT count(*) FROM sqlite_schema WHERE name = 'left_over'")
  created.close()
  assert.equal(count, 0)
})

test('an interrupted creation harms neither the next one nor the next start, and leaves nothing', async () => {
  using folder = openTemporaryFolder()
  const files = new DayFiles(folder.path)
  for (const suffix of ['', '-wal', '-shm']) writeFileSync(`${files.path(TODAY)}.draft${suffix}`, 'interrupted')
  files.openForWriting(TODAY, 1024).close()
  assert.deepEqual(readdirSync(files.folder), [`${TODAY}.db`])
  files.remove(TODAY)
  writeFileSync(`${files.path(TODAY)}.draft`, 'interrupted')
  await using storage = await openAt(folder.path)
  assert.deepEqual(readdirSync(files.folder), [])
  assert.equal((await append(storage, event('one'))).stored, 1)
})

test('recount finds damage that leaves all counts right', async () => {
  using folder = openTemporaryFolder()
  {
    await using storage = await openAt(folder.path)
    await append(storage, ...Array.from({ length: 50 }, (_, index) => event(`message-${index}`)))
    assert.deepEqual(await requireCapability(storage, 'recount').run(), [])
  }
  const path = new DayFiles(folder.path).path(TODAY)
  const page = findIndexPage(path, 'message_by_identity')
  const file = openSync(path, 'r+')
  // The keys of the index, at the end of its page: the table itself is as it was.
  writeSync(file, Buffer.alloc(64, 0x11), 0, 64, page * 4096 - 64)
  closeSync(file)
  await using damaged = await openAt(folder.path)
  const findings = await requireCapability(damaged, 'recount').run()
  assert.ok(findings.length > 0)
  assert.ok(
    findings.every((finding) => finding.startsWith(`${TODAY}: `) && !finding.includes('counter')),
    findings.join('\n'),
  )
})

function findIndexPage(path: string, name: string): number {
  using db = new Database(path, { readOnly: true })
  assert.equal(db.number('PRAGMA page_size'), 4096)
  return db.number('SELECT rootpage FROM sqlite_schema WHERE name = ?', name)
}
