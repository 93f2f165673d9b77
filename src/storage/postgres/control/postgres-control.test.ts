import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { inspect } from 'node:util'
import { PostgresDatabases } from '../../../../test/harness/storage/postgres-databases.ts'
import type { RejectedRecord } from '../../../events/ingest/quarantine-store.ts'
import { AppError } from '../../../lib/app-error.ts'
import { auditStoreContract } from '../../contract/control/audit-store.contract.ts'
import { newDomain, TENANT } from '../../contract/control/domain-scene.ts'
import { domainStoreContract } from '../../contract/control/domain-store.contract.ts'
import { keyStoreContract } from '../../contract/control/key-store.contract.ts'
import { quarantineStoreContract, ROOM_BYTES } from '../../contract/control/quarantine-store.contract.ts'
import { removalStoreContract } from '../../contract/control/removal-store.contract.ts'
import { retentionStoreContract } from '../../contract/control/retention-store.contract.ts'
import { secretStoreContract } from '../../contract/control/secret-store.contract.ts'
import { sessionStoreContract } from '../../contract/control/session-store.contract.ts'
import { viewStoreContract } from '../../contract/control/view-store.contract.ts'
import { LOCKS } from '../database/locks.ts'
import { Postgres } from '../database/postgres.ts'
import { requireNoOlderServers, runMigrations } from '../database/run-migrations.ts'
import { migrateControl, openControl, readControlMigrations } from './open-control.ts'
import { createAuditStore } from './postgres-audit-store.ts'
import { createRemovalStore } from './postgres-removal-store.ts'

describe('the control store in PostgreSQL', () => {
  let databases: PostgresDatabases
  before(async () => {
    databases = await PostgresDatabases.start()
  })
  after(() => databases[Symbol.asyncDispose]())

  describe('stores keys', () =>
    keyStoreContract(async () => {
      const { stores, close } = await databases.open()
      return { store: stores.keys, close }
    }))
  describe('stores domains', () =>
    domainStoreContract(async () => {
      const { stores, close } = await databases.open()
      return { store: stores.domains, keys: stores.keys, close }
    }))
  describe('stores rejected records', () =>
    quarantineStoreContract(async () => {
      const { stores, close } = await databases.open(ROOM_BYTES)
      return { store: stores.quarantine, close }
    }))
  describe('stores removals', () =>
    removalStoreContract(async () => {
      const { stores, close } = await databases.open()
      return { control: stores, [Symbol.asyncDispose]: close }
    }))
  describe('stores generations of the secret', () =>
    secretStoreContract(async () => {
      const { stores, close } = await databases.open()
      return { store: stores.secrets, close }
    }))
  describe('stores the state of retention', () =>
    retentionStoreContract(async () => {
      const { stores, close } = await databases.open()
      return { store: stores.retention, close }
    }))
  describe('stores ended sessions', () =>
    sessionStoreContract(async () => {
      const { stores, close } = await databases.open()
      return { store: stores.sessions, close }
    }))
  describe('stores views', () => viewStoreContract(() => databases.open()))
  describe('stores the audit log', () =>
    auditStoreContract(async (entriesMax) => {
      const { db, close } = await databases.open()
      return { store: createAuditStore(db, entriesMax), close }
    }))

  test('the end of a removal may take longer than other statements', async () => {
    const url = await databases.create()
    const [hurried, other] = [new Postgres(url, { statement_timeout: 100, query_timeout: 200 }), new Postgres(url)]
    let scrubbed: Promise<boolean> | undefined
    await other.transaction(async (statements) => {
      await statements.run('LOCK TABLE quarantine IN SHARE MODE')
      await assert.rejects(hurried.run('VACUUM quarantine'))
      scrubbed = createRemovalStore(hurried).scrub()
      scrubbed.catch(() => undefined)
      await delay(500)
    })
    assert.equal(await scrubbed, true)
    await Promise.all([hurried.close(), other.close()])
  })

  test('of servers that claim at the same time, no two get the same domain, and together they get all', async () => {
    const url = await databases.create()
    const servers = await Promise.all(Array.from({ length: 4 }, () => openControl({ url })))
    const [{ stores } = servers[0] ?? assert.fail()] = servers
    await stores.keys.createTenant({ id: TENANT, clientId: 'client_a', name: 'acme', createdAtMs: 1 })
    for (let index = 0; index < 40; index++) {
      await stores.domains.create(newDomain(index, { isActive: true, recheck: { atMs: 1, step: 0 } }))
    }
    const claimed: string[] = []
    for (let round = 0; round < 5; round++) {
      const claims = await Promise.all(servers.map((server) => server.stores.domains.claimDue(10, 5, 60_000)))
      claimed.push(...claims.flat())
    }
    assert.equal(claimed.length, 40)
    assert.equal(new Set(claimed).size, 40)
    await Promise.all(servers.map((server) => server.close()))
  })

  test('keys that are created at the same time on several servers are all counted against the quota', async () => {
    const url = await databases.create()
    const servers = await Promise.all([openControl({ url }), openControl({ url })])
    const [a] = servers
    await a.stores.keys.createTenant({ id: TENANT, clientId: 'c', name: 'acme', createdAtMs: 1, quotas: { keys: 3 } })
    const created = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) => {
        const key = { id: `key_${index}`, secretHash: new Uint8Array(32), tenantId: TENANT, scopes: [], createdAtMs: 2 }
        return (servers[index % 2] ?? a).stores.keys.createKey(key)
      }),
    )
    assert.equal(created.filter(({ status }) => status === 'fulfilled').length, 3)
    await Promise.all(servers.map((server) => server.close()))
  })

  test('a key that one server revokes is revoked on the others as soon as they hear of it', async () => {
    const url = await databases.create()
    const [a, b] = await Promise.all([openControl({ url }), openControl({ url })])
    const key = { id: 'key', secretHash: new Uint8Array(32), scopes: [], createdAtMs: 1 }
    await a.stores.keys.createKey(key)
    // Kept in memory by the other server now.
    assert.equal((await b.stores.keys.findKey('key'))?.revokedAtMs, undefined)
    await a.stores.keys.revokeKey('key', 5)
    assert.equal((await a.stores.keys.findKey('key'))?.revokedAtMs, 5, 'at once on the server that did it')
    const deadline = performance.now() + 10_000
    while ((await b.stores.keys.findKey('key'))?.revokedAtMs !== 5) assert.ok(performance.now() < deadline)
    await Promise.all([a.close(), b.close()])
  })

  test('a connection that is cut is replaced, and what was kept in memory is dropped', async () => {
    const control = await databases.open()
    await control.stores.keys.createTenant({ id: TENANT, clientId: 'c', name: 'acme', createdAtMs: 1 })
    assert.ok(await control.stores.keys.findTenant(TENANT))
    const client = await databases.server.connect()
    await client.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND application_name = $1',
      ['envelog'],
    )
    await client.end()
    const retried = async () => {
      for (let attempt = 0; ; attempt++) {
        try {
          return await control.stores.keys.findTenantByName('acme')
        } catch (error) {
          assert.ok(error instanceof AppError && error.code === 'storage_unavailable' && attempt < 20, String(error))
        }
      }
    }
    assert.equal((await retried())?.id, TENANT)
    await control.close()
  })

  test('rejected records that wait for each other keep no connection from those who ask', async () => {
    const url = await databases.create()
    const holder = await new Postgres(url).openSession({})
    const { stores, close } = await openControl({ url })
    await holder.run('SELECT pg_advisory_lock($1)', LOCKS.quarantine)
    const record = (index: number): RejectedRecord => ({
      connector: 'native',
      payload: Buffer.from(`${index}`),
      source: { kind: 'key', name: 'k' },
      reason: 'a\0b',
    })
    const adding = Array.from({ length: 50 }, (_, index) => stores.quarantine.add([record(index)], 1))
    assert.equal(await stores.keys.findTenantByName('nobody'), undefined)
    holder.close()
    assert.deepEqual(new Set(await Promise.all(adding)), new Set([true]))
    assert.equal(await stores.quarantine.count(), 50)
    await close()
  })

  test('a NUL in a text neither fails nor finds anything', async () => {
    const { stores, close } = await databases.open()
    assert.equal(await stores.keys.findTenantByName('a\0b'), undefined)
    await stores.keys.createTenant({ id: TENANT, clientId: 'c', name: 'a\0b', createdAtMs: 1 })
    assert.equal((await stores.keys.findTenant(TENANT))?.name, 'a\uFFFDb')
    await close()
  })

  test('a schema that was not migrated is refused with the command; one of a newer version is refused', async () => {
    const url = await databases.create({ isMigrated: false })
    const isConflict = (pattern: RegExp) => (error: unknown) =>
      error instanceof AppError && error.code === 'conflict' && pattern.test(error.message)
    await assert.rejects(openControl({ url }), isConflict(/Run: bin\/envelog migrate/))
    await Promise.all([migrateControl(url), migrateControl(url), migrateControl(url)])
    const control = await openControl({ url })
    await control.db.run("INSERT INTO migration VALUES (99, 'later', '')")
    await control.close()
    await assert.rejects(openControl({ url }), isConflict(/newer version/))
    await assert.rejects(migrateControl(url), isConflict(/newer version/))
  })

  test('a newer schema is served by the versions that it names, so that servers can be replaced one by one', async () => {
    const url = await databases.create()
    const control = await openControl({ url })
    const known = await control.db.number('SELECT count(*) FROM migration')
    const add = "INSERT INTO migration (number, name, checksum, serves) VALUES ($1, 'later', '', $2)"
    await control.db.run(add, known + 1, known)
    await (await openControl({ url })).close()
    // Every step has to allow it, not only the last one.
    await control.db.run(add, known + 2, known + 1)
    await assert.rejects(openControl({ url }), /newer version/)
    await control.close()
  })

  test('a migration that running servers would not understand changes nothing; one that they understand is applied', async () => {
    const url = await databases.create()
    const server = await openControl({ url, eventSchema: 1 })
    const migrations = readControlMigrations()
    await requireNoOlderServers(server.db, { events: 1 })
    await assert.rejects(requireNoOlderServers(server.db, { events: 2 }), /ClickHouse was not changed/)
    const next = (sql: string) => [...migrations, { number: migrations.length + 1, name: 'next', sql, checksum: 'x' }]
    const run = (sql: string) =>
      runMigrations(server.db, { migrations: next(sql), lock: LOCKS.migration, onApplied: () => undefined })
    await assert.rejects(run('DROP TABLE audit_size'), /Stop them, then run this command again\. Nothing was changed\./)
    assert.equal(await server.db.number('SELECT count(*) FROM audit_size'), 0)
    await run(`-- Adds a column.\n-- Serves: ${migrations.length}\nALTER TABLE audit_size ADD COLUMN other bigint`)
    await (await openControl({ url })).close()
    await server.close()
  })

  test('a migration that fails leaves the schema as it was, and runs again', async () => {
    const url = await databases.create()
    const migrations = readControlMigrations()
    const db = new Postgres(url)
    const broken = {
      number: migrations.length + 1,
      name: 'next',
      sql: 'CREATE TABLE half (a int); SELECT 1/0',
      checksum: 'x',
    }
    await assert.rejects(runMigrations(db, { migrations: [...migrations, broken], lock: LOCKS.migration }), /division/)
    assert.equal(await db.number("SELECT count(*) FROM pg_class WHERE oid = to_regclass('half')"), 0)
    const repaired = { ...broken, sql: 'CREATE TABLE half (a int)' }
    await runMigrations(db, { migrations: [...migrations, repaired], lock: LOCKS.migration })
    assert.equal(await db.number('SELECT count(*) FROM half'), 0)
    await db.close()
  })

  test('the clock of the database is known', async () => {
    const control = await openControl({ url: await databases.create() })
    const before = Date.now()
    const found = await control.shared.readClock()
    // On one machine, both are the same clock.
    assert.ok(before - 1 <= found && found <= Date.now() + 1, String(found - before))
    await control.close()
  })

  test('of servers that claim a lease, one gets it, until it releases it or its time is over', async () => {
    const url = await databases.create()
    const servers = await Promise.all(Array.from({ length: 3 }, () => openControl({ url })))
    const claim = (forMs: number) => Promise.all(servers.map(({ shared }) => shared.leases.claim('work', forMs)))
    const first = await claim(60_000)
    assert.equal(first.filter(Boolean).length, 1)
    assert.deepEqual(await claim(60_000), first)
    const others = servers.filter((_, index) => first[index] === false)
    await Promise.all(others.map(({ shared }) => shared.leases.release('work')))
    assert.deepEqual(await claim(60_000), first)
    await Promise.all(servers.map(({ shared }) => shared.leases.release('work')))
    // A lease whose time was over before it began.
    assert.ok((await claim(-60_000)).filter(Boolean).length >= 1)
    assert.equal((await claim(60_000)).filter(Boolean).length, 1)
    await Promise.all(servers.map((server) => server.close()))
  })

  test('of servers that create a setting, all get the same value, and only the one that knows it can replace it', async () => {
    const url = await databases.create()
    const servers = await Promise.all(Array.from({ length: 3 }, () => openControl({ url })))
    const created = await Promise.all(
      servers.map(({ shared }, index) => shared.settings.findOrCreate('a', Buffer.from([0, index, 255]))),
    )
    const [value = assert.fail()] = created
    assert.deepEqual(created, [value, value, value])
    const { settings } = servers[0]?.shared ?? assert.fail()
    assert.equal(await settings.replace('a', Buffer.from('x'), Buffer.from('y')), false)
    assert.equal(await settings.replace('a', Buffer.from('x'), value), true)
    assert.deepEqual(await servers[1]?.shared.settings.find('a'), Buffer.from('x'))
    assert.equal(await settings.find('b'), undefined)
    await Promise.all(servers.map((server) => server.close()))
  })

  test('a wrong password or database is reported in words that repeat no password', async () => {
    const url = databases.server.url('nowhere')
    await assert.rejects(openControl({ url }), /PostgreSQL has no database with this name\. Check/)
    const secret = 'postgres://envelog:sesame@127.0.0.1:1/envelog'
    await assert.rejects(openControl({ url: secret }), (error: Error) => {
      assert.match(error.message, /^PostgreSQL cannot be reached \(connect ECONNREFUSED 127\.0\.0\.1:1\)/)
      assert.doesNotMatch(inspect(error, { depth: 9 }), /sesame/)
      return true
    })
  })
})

test('a server that cannot be reached is storage_unavailable', async () => {
  await assert.rejects(
    openControl({ url: 'postgres://nobody@127.0.0.1:1/none' }),
    (error: unknown) => error instanceof AppError && error.code === 'storage_unavailable',
  )
})
