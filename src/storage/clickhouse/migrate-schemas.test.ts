/** The number of shards on a real cluster: changed under the locks of all shards, also after a change that was interrupted. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type SharedCluster, startSteadyCluster } from '../../../test/harness/storage/clickhouse/cluster.ts'
import { PostgresDatabases } from '../../../test/harness/storage/postgres-databases.ts'
import { reasonOf } from '../../lib/app-error.ts'
import { BatchStore } from '../postgres/batches/batch-store.ts'
import { LOCKS } from '../postgres/database/locks.ts'
import { Postgres } from '../postgres/database/postgres.ts'
import { changeShards } from './change-shards.ts'
import { migrateSchemas } from './migrate-schemas.ts'
import type { Databases } from './open-clickhouse-storage.ts'
import { hasOwnShardView } from './schema/own-shard-view.ts'
import { findSchemaState, listUsedShards, SCHEMA_VERSION, writeSchemaState } from './schema/schema-state.ts'
import { createTable, TABLES } from './schema/tables.ts'
import type { ClickHouse } from './server/clickhouse.ts'
import { connectClickHouse } from './server/connect-clickhouse.ts'

/** Longer than a statement of a server may take. */
const LONG_HOLD_MS = 11_000

let cluster: SharedCluster
let postgres: PostgresDatabases
let databases: Databases
let clickHouse: ClickHouse
before(async () => {
  ;[cluster, postgres] = await Promise.all([startSteadyCluster(), PostgresDatabases.start()])
  const clickhouse = await cluster.createDatabase()
  databases = { postgresUrl: await postgres.create({ isMigrated: false }), clickhouse }
  clickHouse = await connectClickHouse(clickhouse)
})
after(async () => {
  await clickHouse?.close()
  await cluster?.[Symbol.asyncDispose]()
  await postgres?.[Symbol.asyncDispose]()
})

const ignore = () => undefined
const reports = { onPostgres: ignore, onClickHouse: ignore }
const migrate = (shards?: number) => migrateSchemas(databases, reports, shards)
const stateOf = async () => ({
  shards: (await findSchemaState(clickHouse))?.shards,
  used: await listUsedShards(clickHouse),
})

/** Decided by a server that has died since. */
async function leaveBatch() {
  const db = new Postgres(databases.postgresUrl)
  const batches = new BatchStore({ db })
  await batches.hold(0, 1000, (held) =>
    held.decide([1], async () => ({
      events: 1,
      token: 'a',
      domainNumbers: new Set([1]),
      payload: new Uint8Array(1),
      closedCounts: [],
    })),
  )
  return {
    remove: () => db.run('DELETE FROM batch'),
    async [Symbol.asyncDispose]() {
      batches.close()
      await db.close()
    },
  }
}

test('wherever a change of the number of shards dies, servers can store by one number only, and it can be finished', async () => {
  const told: string[] = []
  await migrateSchemas(databases, { ...reports, onClickHouse: (step) => void told.push(step) }, 1)
  assert.deepEqual(told, [`schema ${SCHEMA_VERSION} in database ${databases.clickhouse.database}`, '1 shard'])
  for (let [statements, from, to] = [0, 1, 2]; ; statements++) {
    const failure = await changeShards(databases.postgresUrl, dyingAt(statements), to, [from]).catch(reasonOf)
    assert.ok((await listStorable(from)).length <= 1, `after ${statements} changes`)
    if (failure === undefined) break
    assert.equal(failure, 'died')
    await migrate(to)
    assert.deepEqual(await stateOf(), { shards: to, used: [to] })
    ;[from, to] = [to, from]
  }
})

test('a change that died is not guessed, and what was decided meanwhile can be stored before it is finished', async () => {
  const { database } = databases.clickhouse
  const [from, to] = (await stateOf()).shards === 1 ? [1, 2] : [2, 1]
  const dying = replaceCommand(async (sql) => {
    if (sql.includes(`domain_change_all_${from}`) && sql.startsWith('DROP')) throw new Error('died')
  })
  await assert.rejects(changeShards(databases.postgresUrl, dying, to, [from]), /died/)
  assert.deepEqual(await stateOf(), { shards: from, used: [1, 2] })
  await assert.rejects(
    migrate(),
    /interrupted: tables exist for .* Run bin\/envelog migrate --shards N, with the new number/,
  )
  // By a server that was running, while a server of ClickHouse still had the table.
  await using left = await leaveBatch()
  await assert.rejects(migrate(to), /Some batches are not finished \(shards: 1\)/)
  assert.deepEqual(await listStorable(from), [from])
  for (const { url } of cluster.servers) {
    assert.equal(await ask(url, `EXISTS TABLE ${database}.event_all_${from}`), '1\n')
  }
  await left.remove()
  await migrate(to)
  assert.deepEqual(await stateOf(), { shards: to, used: [to] })
})

test('a change waits for a server that holds a shard, and does not take effect if its own locks are lost', async () => {
  const [from, to] = (await stateOf()).shards === 1 ? [1, 2] : [2, 1]
  const db = new Postgres(databases.postgresUrl)
  const losing = replaceCommand(async (sql) => {
    if (!sql.startsWith('DROP') || !sql.includes(`event_all_${from}`)) return
    await db.run(
      "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND classid = $1",
      LOCKS.shard,
    )
  })
  await assert.rejects(changeShards(databases.postgresUrl, losing, to, [from]), /control database/)
  assert.deepEqual(await stateOf(), { shards: from, used: [to] })
  const batches = new BatchStore({ db, silenceMs: 4 * LONG_HOLD_MS })
  await Promise.all([batches.hold(0, 1000, () => delay(LONG_HOLD_MS)), migrate(to)])
  assert.deepEqual(await stateOf(), { shards: to, used: [to] })
  batches.close()
  await db.close()
})

test('domains are on one shard as long as the number of shards was not changed, also on servers that are added', async () => {
  const { database } = databases.clickhouse
  const has = (shards: number) => hasOwnShardView(clickHouse, shards)
  // Nothing is stored yet: whatever the number was before does not matter.
  await migrate(1)
  await migrate(2)
  await migrate()
  assert.deepEqual([await has(1), await has(2)], [false, true])
  await post(`INSERT INTO ${database}.domain_change (domain, changed_at_ms) VALUES (1, 1)`)
  await post(`DROP TABLE ${database}.own_shard_2`)
  await migrate()
  for (const { url } of cluster.servers) {
    assert.equal(await (await fetch(`${url}/?query=SELECT+count()+FROM+${database}.own_shard_2`)).text(), '1\n')
  }
  await migrate(1)
  assert.deepEqual([await has(1), await has(2)], [false, false])
  await migrate(2)
  assert.deepEqual([await has(1), await has(2)], [false, false])
})

/** To the first server. */
async function post(sql: string): Promise<void> {
  await ask(cluster.servers[0]?.url ?? '', sql)
}

async function ask(url: string, sql: string): Promise<string> {
  const answer = await fetch(url, { method: 'POST', body: sql })
  const text = await answer.text()
  assert.equal(answer.status, 200, text)
  return text
}

test('a server that lost its tables gets them again, and does not decide about the number of shards', async () => {
  await migrate(1)
  const [replaced] = cluster.servers
  const { database } = databases.clickhouse
  for (const name of ['schema_state', ...TABLES.map((table) => `${table}_all_1`)]) {
    const answer = await fetch(replaced?.url ?? '', { method: 'POST', body: `DROP TABLE ${database}.${name}` })
    assert.equal(answer.status, 200, await answer.text())
  }
  const own = await connectClickHouse({ ...databases.clickhouse, urls: [replaced?.url ?? ''] })
  assert.equal(await findSchemaState(own), undefined)
  await own.close()
  // Whichever server is asked first.
  for (const _ of cluster.servers) assert.equal((await findSchemaState(clickHouse))?.shards, 1)
  const onlyReplaced = { ...databases.clickhouse, urls: [replaced?.url ?? ''] }
  await migrateSchemas({ ...databases, clickhouse: onlyReplaced }, reports)
  assert.deepEqual(await stateOf(), { shards: 1, used: [1] })
  const answer = await fetch(`${replaced?.url}/?query=SELECT+shards+FROM+${database}.schema_state`)
  assert.equal(await answer.text(), '1\n')
})

test('a change of the number of shards opens closed days, because another shard decides about a domain', async () => {
  const db = new Postgres(databases.postgresUrl)
  await db.run(`INSERT INTO shard VALUES (0, '0000-01-01', '2026-03-01')
    ON CONFLICT (number) DO UPDATE SET closed_day = excluded.closed_day`)
  await db.run('INSERT INTO closed_total VALUES (1, 0, 5, 0)')
  await migrate((await stateOf()).shards === 1 ? 2 : 1)
  assert.deepEqual(await db.all('SELECT number FROM shard WHERE closed_day IS NOT NULL'), [])
  assert.deepEqual(await db.all('SELECT delivery FROM closed_total'), [])
  await db.close()
})

/** Numbers of shards that servers could store by: that of those that run, and what those that start find on any server. */
async function listStorable(running: number): Promise<readonly number[]> {
  const { database } = databases.clickhouse
  const listed = await Promise.all(
    cluster.servers.map(async ({ url }) => {
      const tables = await ask(url, `SELECT name FROM system.tables WHERE database = '${database}'`)
      const hasState = tables.includes('schema_state')
      return { tables, state: hasState ? await ask(url, `SELECT shards FROM ${database}.schema_state`) : '' }
    }),
  )
  const known = new Set([running, ...listed.map(({ state }) => Number(state))])
  return [...known].filter((number) => listed.some(({ tables }) => tables.includes(`event_all_${number}\n`)))
}

/** Of the statements of a change: the others create what there is. */
const CHANGES = /^DROP|_all_|VIEW/

/** Dies in a statement that changes something, when one server has executed it. */
function dyingAt(statements: number): ClickHouse {
  let left = statements
  return replaceCommand(async (sql) => {
    if (!CHANGES.test(sql) || left-- > 0) return
    await ask(cluster.servers[0]?.url ?? '', sql.replace(/ ON CLUSTER `[^`]+`/, ''))
    throw new Error('died')
  })
}

/** `before`: of each statement. */
function replaceCommand(before: (sql: string) => Promise<void>): ClickHouse {
  return Object.create(clickHouse, {
    select: { value: clickHouse.select.bind(clickHouse) },
    command: {
      value: async (...given: Parameters<ClickHouse['command']>) => {
        await before(given[0])
        await clickHouse.command(...given)
      },
    },
  }) as ClickHouse
}

test('tables of schema 1 are refused before anything is changed, whatever the state says', async () => {
  const clickhouse = await cluster.createDatabase()
  const postgresUrl = await postgres.create({ isMigrated: false })
  const db = new Postgres(postgresUrl)
  const other = await connectClickHouse(clickhouse)
  const place = { database: clickhouse.database, cluster: clickhouse.cluster ?? '', version: [18, 16] } as const
  const columns = 'size UInt64,\n  retry_after UInt32,'
  await other.command(createTable('event', place).replace('details String,', columns))
  const isRefused = () =>
    assert.rejects(migrateSchemas({ postgresUrl, clickhouse }, reports), /made by a version before 1\.0\.0 and cannot/)
  await isRefused()
  await writeSchemaState(other, { version: 1, shards: 2, serves: 1 })
  // One replica has lost its tables.
  await ask(cluster.servers[0]?.url ?? '', `DROP TABLE ${clickhouse.database}.event`)
  await isRefused()
  assert.equal(await db.number("SELECT count(*) FROM pg_class WHERE relname = 'migration'"), 0)
  const tables = `SELECT name FROM system.tables WHERE database = '${clickhouse.database}' ORDER BY name`
  assert.equal(await ask(cluster.servers[1]?.url ?? '', tables), 'event\nschema_state\n')
  await other.close()
  await db.close()
})
