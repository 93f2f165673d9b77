/** The data folder as a whole: one owner at a time, restarts, copies, damage, a writing thread that dies. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { untilSummarized } from '../../../test/harness/storage/history-progress.ts'
import { openTemporaryFolder } from '../../../test/harness/temporary-folder.ts'
import type { EmailEvent } from '../../events/event.ts'
import { AppError } from '../../lib/app-error.ts'
import { requireCapability, type Storage } from '../storage.ts'
import { lockDataFolder } from './database/data-folder-lock.ts'
import { Database } from './database/database.ts'
import { openSqliteStorage } from './open-sqlite-storage.ts'
import { Writer } from './writing/writer.ts'

const NOW = 1_772_366_400

function openAt(dataDir: string): Promise<Storage> {
  return openSqliteStorage({ dataDir, clock: () => NOW * 1000, serviceMessageIdField: 'acme_message_id' })
}

function event(id: string, timestamp = NOW): EmailEvent {
  return { id, timestamp, type: 'Reception', domain_name: 'a.test', recipient: 'u@b.test', service_message_id: 's1' }
}

function append({ log }: Storage, ...events: EmailEvent[]) {
  return log.append(events.map((one) => ({ domainNumber: 1, event: one })))
}

async function list({ log }: Storage): Promise<readonly Record<string, unknown>[]> {
  const window = { startTimestamp: 0, endTimestamp: NOW * 2 }
  const domains = [{ number: 1, name: 'a.test' }]
  const page = await log.list({ domains, filters: {}, window, limit: 100, budgetMs: 1000 })
  return page.events.map((text) => JSON.parse(text) as Record<string, unknown>)
}

test('a second owner of a folder is refused with advice; it can open the folder after the first has closed it', async () => {
  using folder = openTemporaryFolder()
  const first = await openAt(folder.path)
  await assert.rejects(openAt(folder.path), (error) => {
    assert(error instanceof AppError && error.code === 'conflict')
    assert.match(error.message, /^Another Envelog server is using the data folder .* set ENVELOG_DATA_DIR/)
    return true
  })
  await append(first, event('m1'))
  await first.close()
  const second = await openAt(folder.path)
  assert.equal((await list(second)).length, 1)
  await second.close()
})

test('the days that a restart finds are read, counted, followed and written to', async () => {
  using folder = openTemporaryFolder()
  const days = Array.from({ length: 5 }, (_, index) => NOW - index * 86_400)
  const first = await openAt(folder.path)
  const position = await first.log.arrivals.last()
  await append(first, ...days.map((timestamp) => event('m1', timestamp)))
  await first.close()
  const again = await openAt(folder.path)
  assert.equal((await list(again)).length, 5)
  assert.equal((await again.log.counts([1])).get(1)?.reception, 5)
  const query = { domains: [{ number: 1, name: 'a.test' }], filters: {}, after: position, limit: 10, budgetMs: 1000 }
  assert.equal((await again.log.arrivals.list(query)).events.length, 5)
  const repeated = days.map((timestamp) => event('m1', timestamp))
  assert.deepEqual(await append(again, ...repeated, event('m2', NOW - 86_400)), {
    stored: 1,
    duplicates: 5,
    expired: [],
  })
  assert.equal((await again.log.counts([1])).get(1)?.reception, 6)
  assert.equal(again.capabilities.days?.count, 5)
  await again.close()
})

test('the lock of a process that was killed is free', () => {
  using folder = openTemporaryFolder()
  const module = join(import.meta.dirname, 'database', 'data-folder-lock.ts')
  const script = `const { lockDataFolder } = await import(${JSON.stringify(module)}); lockDataFolder(process.argv[1]); process.kill(process.pid, 'SIGKILL')`
  const killed = spawnSync(process.execPath, ['--input-type=module', '-e', script, folder.path])
  assert.equal(killed.signal, 'SIGKILL')
  lockDataFolder(folder.path).release()
})

test('after a close each day is one file, readable by the owner alone, and everything is there again', async () => {
  using folder = openTemporaryFolder()
  const storage = await openAt(folder.path)
  await append(storage, event('m1'), event('m2', NOW - 86_400))
  await storage.close()
  assert.deepEqual(readdirSync(join(folder.path, 'events')).sort(), ['2026-02-28.db', '2026-03-01.db'])
  assert.equal(statSync(join(folder.path, 'events')).mode & 0o077, 0)
  const again = await openAt(folder.path)
  assert.equal((await list(again)).length, 2)
  assert.deepEqual(await append(again, event('m1')), { stored: 0, duplicates: 1, expired: [] })
  await again.close()
})

test('the brand names the field of the service’s own message id, also of events stored under another brand', async () => {
  using folder = openTemporaryFolder()
  const branded = await openAt(folder.path)
  await append(branded, event('m1'))
  assert.equal((await list(branded))[0]?.['acme_message_id'], 's1')
  await branded.close()
  const plain = await openSqliteStorage({
    dataDir: folder.path,
    clock: Date.now,
    serviceMessageIdField: 'service_message_id',
  })
  assert.equal((await list(plain))[0]?.['service_message_id'], 's1')
  await plain.close()
})

test('a day whose replacement by a repaired file was interrupted has its own file again after a start', async () => {
  using folder = openTemporaryFolder()
  const first = await openAt(folder.path)
  await append(first, event('m1'), event('m2', NOW - 86_400))
  await first.close()
  const path = join(folder.path, 'events', '2026-03-01.db')
  renameSync(path, `${path}.damaged-1`)
  const again = await openAt(folder.path)
  assert.deepEqual(
    (await list(again)).map(({ id }) => id),
    ['m1', 'm2'],
  )
  assert.deepEqual(again.notices ?? [], [])
  await again.close()
})

test('recount reports wrong counters', async () => {
  using folder = openTemporaryFolder()
  const storage = await openAt(folder.path)
  await append(storage, event('m1'))
  assert.deepEqual(await requireCapability(storage, 'recount').run(), [])
  await storage.close()
  const db = new Database(join(folder.path, 'events', '2026-03-01.db'))
  db.run('UPDATE counter SET count = 5')
  db.run('DELETE FROM event_per_hour')
  db.close()
  const damaged = await openAt(folder.path)
  // From the day that lacks its counts by hour.
  await untilSummarized(damaged)
  assert.deepEqual(await requireCapability(damaged, 'recount').run(), [
    '2026-03-01: domain 1, Reception: counter 5, events 1',
    '2026-03-01: domain 1, hour 12, Reception: counter 0, events 1',
    'history index: 2026-03-01: the counts of domain 1 differ. It will be rebuilt.',
  ])
  await damaged.close()
})

for (const [damage, bytes] of [
  ['overwritten', Buffer.alloc(8192, 1)],
  ['cut short', Buffer.alloc(50, 1)],
] as const) {
  test(`a day’s file that is ${damage} fails loudly and leaves the other days alone`, () => damageDay(bytes))
}

async function damageDay(bytes: Uint8Array): Promise<void> {
  using folder = openTemporaryFolder()
  const storage = await openAt(folder.path)
  await append(storage, event('m1'), event('m2', NOW - 86_400))
  await storage.close()
  writeFileSync(join(folder.path, 'events', '2026-02-28.db'), bytes)
  const damaged = await openAt(folder.path)
  await assert.rejects(append(damaged, event('m3', NOW - 86_400)), { code: 'storage_unavailable' })
  assert.equal((await append(damaged, event('m3'))).stored, 1)
  assert.equal(damaged.health.writable, true)
  const [finding, ...more] = await requireCapability(damaged, 'recount').run()
  assert.match(finding ?? '', /^2026-02-28: damaged, set aside: .*2026-02-28\.db.*file is not a database/)
  assert.deepEqual(more, [], 'the other day was counted and is right')
  await damaged.close()
}

test('calls of a writing thread that ends are refused, and the next one gets a new thread', async () => {
  let lost = 0
  using folder = openTemporaryFolder()
  const storage = await openAt(folder.path)
  const writer = new Writer({
    dataDir: join(folder.path, 'nowhere\0'),
    onCommits: () => assert.fail('nothing was committed'),
    onLost: () => lost++,
  })
  await assert.rejects(writer.call({ kind: 'probe' }), { code: 'storage_unavailable' })
  assert.equal(writer.isHealthy, false)
  assert.equal(lost, 1)
  await assert.rejects(writer.call({ kind: 'probe' }), { code: 'storage_unavailable' })
  await storage.close()
  await assert.rejects(append(storage, event('late')), { code: 'storage_unavailable' })
})

test('a day that is no longer written to leaves no WAL beside it, although it is being read', async () => {
  using folder = openTemporaryFolder()
  const storage = await openAt(folder.path)
  const days = Array.from({ length: 12 }, (_, index) => NOW - index * 86_400)
  for (const timestamp of days) {
    await append(storage, event('m1', timestamp))
    await list(storage)
  }
  const logs = readdirSync(join(folder.path, 'events')).filter((name) => name.endsWith('-wal'))
  const bytes = logs.map((name) => statSync(join(folder.path, 'events', name)).size)
  assert.ok(bytes.filter((size) => size > 0).length <= 8, `${bytes.join(' ')}`)
  await storage.close()
})
