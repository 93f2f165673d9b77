/** The data folder as a whole: one server at a time, restarts, copies, a writing thread that dies. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openTestStorage } from '../../../test/harness/sqlite-storage.ts'
import { openTemporaryFolder } from '../../../test/harness/temporary-folder.ts'
import type { EmailEvent } from '../../events/event.ts'
import { openMasterKey } from '../../lib/master-key.ts'
import type { Storage } from '../storage.ts'
import { lockDataFolder } from './database/data-folder-lock.ts'
import { Database } from './database/database.ts'
import { openSqliteStorage } from './open-sqlite-storage.ts'
import { Writer } from './writing/writer.ts'

const NOW = 1_772_366_400

function openAt(dataDir: string, isServer = false): Promise<Storage> {
  return openSqliteStorage({ dataDir, clock: () => NOW * 1000, serviceMessageIdField: 'acme_message_id', isServer })
}

function event(id: string, timestamp = NOW): EmailEvent {
  return { id, timestamp, type: 'Reception', domain_name: 'a.test', recipient: 'u@b.test', service_message_id: 's1' }
}

function append(storage: Storage, ...events: EmailEvent[]) {
  return storage.events.append(events.map((one) => ({ domainNumber: 1, event: one })))
}

async function list(storage: Storage): Promise<readonly Record<string, unknown>[]> {
  const filters = { startTimestamp: 0, endTimestamp: NOW * 2 }
  const page = await storage.events.list({ domainNumber: 1, domainName: 'a.test', filters, limit: 100, budgetMs: 1000 })
  return page.events.map((text) => JSON.parse(text) as Record<string, unknown>)
}

test('a second server on the same folder is refused with a way out; after the first has closed it may start', async () => {
  using folder = openTemporaryFolder()
  const first = await openAt(folder.path, true)
  await assert.rejects(
    openAt(folder.path, true),
    /Another Envelog server is using the data folder .* set ENVELOG_DATA_DIR/,
  )
  await first.close()
  const second = await openAt(folder.path, true)
  await second.close()
})

test('the lock of a process that was killed holds nobody up', () => {
  using folder = openTemporaryFolder()
  const module = join(import.meta.dirname, 'data-folder-lock.ts')
  const script = `const { lockDataFolder } = await import(${JSON.stringify(module)}); lockDataFolder(process.argv[1]); process.kill(process.pid, 'SIGKILL')`
  const killed = spawnSync(process.execPath, ['--input-type=module', '-e', script, folder.path])
  assert.equal(killed.signal, 'SIGKILL')
  lockDataFolder(folder.path).release()
})

test('commands beside a server read and write the same data', async () => {
  using folder = openTemporaryFolder()
  const server = await openAt(folder.path, true)
  const command = await openAt(folder.path)
  await append(server, event('from the server'))
  assert.deepEqual(await append(command, event('from the server'), event('from the command')), {
    stored: 1,
    duplicates: 1,
    expired: [],
  })
  assert.deepEqual(
    (await list(server)).map(({ id }) => id),
    ['from the command', 'from the server'],
  )
  assert.equal((await server.stats.countsByDomain([1])).get(1)?.reception, 2)
  await command.close()
  await server.close()
})

test('a server that has read a day finds what another process adds to it: events, messages, counts', async () => {
  using folder = openTemporaryFolder()
  const server = await openAt(folder.path, true)
  await append(server, event('mine'))
  assert.equal((await list(server)).length, 1)
  assert.equal((await server.events.listByMessage(1, 'a.test', 'theirs')).length, 0)
  assert.equal((await server.stats.countsByDomain([1])).get(1)?.reception, 1)
  const command = await openAt(folder.path)
  await append(command, event('theirs'), event('older', NOW - 86_400))
  await command.close()
  // The server looks for such changes every few milliseconds.
  await sleep(20)
  assert.equal((await list(server)).length, 3)
  assert.equal((await server.events.listByMessage(1, 'a.test', 'theirs')).length, 1)
  assert.equal((await server.stats.countsByDomain([1])).get(1)?.reception, 3)
  await server.close()
})

test('an event that one process has stored is a duplicate for the other, whoever comes first', async () => {
  using folder = openTemporaryFolder()
  const server = await openAt(folder.path, true)
  const command = await openAt(folder.path)
  for (const [index, [first, second]] of [[server, command] as const, [command, server] as const].entries()) {
    for (let round = 0; round < 3; round++) {
      const id = `${index}-${round}`
      assert.equal((await append(first, event(id))).stored, 1)
      assert.deepEqual(await append(second, event(id)), { stored: 0, duplicates: 1, expired: [] })
    }
  }
  await command.close()
  await server.close()
})

test('after a close each day is one file, readable by nobody but the owner, and everything is there again', async () => {
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

test('a backup taken while events arrive is a data folder of its own, with all that was acknowledged before it began', async () => {
  await using storage = await openTestStorage(() => NOW * 1000)
  openMasterKey(storage.dataDir)
  await append(storage, event('before'), event('yesterday', NOW - 86_400))
  using target = openTemporaryFolder()
  const copy = join(target.path, 'copy')
  let isDone = false
  const backup = storage.backup(copy).finally(() => {
    isDone = true
  })
  for (let index = 0; !isDone; index++) await append(storage, event(`during-${index}`))
  await backup
  const restored = await openAt(copy, true)
  const ids = (await list(restored)).map(({ id }) => id)
  assert.ok(ids.includes('before') && ids.includes('yesterday'))
  assert.deepEqual(await restored.recount(), [])
  await restored.close()
  assert.deepEqual(openMasterKey(copy), openMasterKey(storage.dataDir))
  await assert.rejects(storage.backup(copy), /is not empty/)
  await assert.rejects(storage.backup(join(storage.dataDir, 'copy')), /lies in the data folder itself/)
  await assert.rejects(storage.backup(join(copy, 'control.db')), /is a file/)
})

test('recount tells a counter that is wrong', async () => {
  using folder = openTemporaryFolder()
  const storage = await openAt(folder.path)
  await append(storage, event('m1'))
  assert.deepEqual(await storage.recount(), [])
  await storage.close()
  const db = new Database(join(folder.path, 'events', '2026-03-01.db'))
  db.run('UPDATE counter SET count = 5')
  db.run('DELETE FROM event_per_hour')
  db.close()
  const damaged = await openAt(folder.path)
  assert.deepEqual(await damaged.recount(), [
    '2026-03-01: domain 1, Reception: 5 kept, 1 counted',
    '2026-03-01: domain 1, hour 12, Reception: 0 kept, 1 counted',
  ])
  await damaged.close()
})

test('a day’s file that is damaged fails loudly and leaves the other days alone', async () => {
  using folder = openTemporaryFolder()
  const storage = await openAt(folder.path)
  await append(storage, event('m1'), event('m2', NOW - 86_400))
  await storage.close()
  writeFileSync(join(folder.path, 'events', '2026-02-28.db'), Buffer.alloc(8192, 1))
  const damaged = await openAt(folder.path)
  await assert.rejects(append(damaged, event('m3', NOW - 86_400)), { code: 'storage_unavailable' })
  assert.equal((await append(damaged, event('m3'))).stored, 1)
  assert.equal(damaged.health().writable, true)
  const [finding, ...more] = await damaged.recount()
  assert.match(
    finding ?? '',
    /^2026-02-28: file is not a database \(.*2026-02-28\.db\)\. Restore this file from a backup/,
  )
  assert.deepEqual(more, [], 'the other day was counted and is right')
  using target = openTemporaryFolder()
  await assert.rejects(damaged.backup(target.path), /2026-02-28\.db cannot be copied/)
  await damaged.close()
})

test('calls of a writing thread that ends are refused, and the next one finds a new thread', async () => {
  using folder = openTemporaryFolder()
  const storage = await openAt(folder.path)
  const writer = new Writer({ dataDir: join(folder.path, 'nowhere\0'), isServer: true })
  await assert.rejects(writer.call({ kind: 'probe' }), { code: 'storage_unavailable' })
  assert.equal(writer.isHealthy, false)
  await assert.rejects(writer.call({ kind: 'probe' }), { code: 'storage_unavailable' })
  await storage.close()
  await assert.rejects(append(storage, event('late')), { code: 'storage_unavailable' })
})

test('a day that is no longer written leaves no log lying beside it, although it is being read', async () => {
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
