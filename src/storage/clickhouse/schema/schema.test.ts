import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import {
  type SharedCluster,
  startSingleServer,
  startSteadyCluster,
} from '../../../../test/harness/storage/clickhouse/cluster.ts'
import { AppError } from '../../../lib/app-error.ts'
import { COLUMNS } from '../rows/columns.ts'
import { connectClickHouse } from '../server/connect-clickhouse.ts'
import { migrateClickHouse } from './migrate-clickhouse.ts'
import { findSchemaState, requireClickHouseSchema, SCHEMA_VERSION, SERVES, writeSchemaState } from './schema-state.ts'
import { createTable, listIndexes, TABLES } from './tables.ts'

const MODERN = [24, 8] as const

suite('schema of ClickHouse', () => {
  let cluster: SharedCluster
  before(async () => {
    cluster = await startSteadyCluster()
  })
  after(() => cluster[Symbol.asyncDispose]())

  test('an empty database is refused with the command that migrates it, and accepted after it', async () => {
    const options = await cluster.createDatabase()
    const empty = await connectClickHouse(options)
    await assert.rejects(requireClickHouseSchema(empty), isConflict(/has schema 0.*Run: bin\/envelog migrate/))
    await migrateClickHouse(empty)
    await requireClickHouseSchema(empty)
    await empty.close()
    const migrated = await connectClickHouse(options)
    for (const table of TABLES) {
      assert.deepEqual(await migrated.select(`SELECT count() FROM ${migrated.readFrom(table)}`), [['0']], table)
    }
    await migrated.close()
  })

  test('tables of a cluster are not taken for those of a single server', async () => {
    const options = await cluster.createDatabase()
    const clickHouse = await connectClickHouse(options)
    await migrateClickHouse(clickHouse)
    await clickHouse.close()
    const { cluster: _, ...single } = options
    for (const urls of [single.urls, single.urls.slice(0, 1)]) {
      await assert.rejects(
        connectClickHouse({ ...single, urls }),
        isConflict(/belong to a cluster, but ENVELOG_CLICKHOUSE_CLUSTER is not set/),
      )
    }
    await (await connectClickHouse(options)).close()
  })

  test('tables that are in ZooKeeper already do not become those of another installation', async () => {
    const options = await cluster.createDatabase()
    const { database } = options
    const clickHouse = await connectClickHouse(options)
    const url = cluster.servers[3]?.url ?? ''
    // As from the server of another cluster: ours have no such table.
    await run(url, `CREATE DATABASE ${database}_other`)
    await run(
      url,
      `CREATE TABLE ${database}_other.t (domain UInt32) ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/${database}/event_1', '{replica}') ORDER BY domain`,
    )
    await assert.rejects(
      migrateClickHouse(clickHouse),
      isConflict(/already has replicas of .*\/event_1 \(1\), .*another database name/),
    )
    assert.equal(await ask(url, `SELECT count() FROM system.tables WHERE database = '${database}'`), '0\n')
    await run(url, `DROP TABLE ${database}_other.t`)
    await migrateClickHouse(clickHouse)
    await requireClickHouseSchema(clickHouse)
    // Nor are our own taken for others, also where one server has none.
    await run(url, `DROP TABLE ${database}.event`)
    await migrateClickHouse(clickHouse)
    assert.equal(await ask(url, `SELECT count() FROM ${database}.event`), '0\n')
    await clickHouse.close()
  })

  test('a database that does not exist is created', async () => {
    const options = { ...(await cluster.createDatabase()), database: `made-${Date.now()}` }
    const clickHouse = await connectClickHouse(options)
    await assert.rejects(requireClickHouseSchema(clickHouse), isConflict(/envelog migrate/))
    await migrateClickHouse(clickHouse)
    await requireClickHouseSchema(clickHouse)
    await clickHouse.close()
  })

  test('every server has all tables with all columns, and a second migration changes nothing', async () => {
    await using scene = await openScene()
    const { clickHouse } = scene
    const describe = () =>
      Promise.all(
        cluster.servers.map(({ url }) =>
          ask(url, `SELECT table, name, type FROM system.columns WHERE database = '${clickHouse.database}'`),
        ),
      )
    const first = await describe()
    assert.equal(new Set(first).size, 1)
    for (const table of TABLES) {
      for (const { name } of COLUMNS[table]) assert.match(first[0] ?? '', new RegExp(`^${table}\t${name}\t`, 'm'))
    }
    await migrateClickHouse(clickHouse)
    assert.deepEqual(await describe(), first)
  })

  test('a migration that was interrupted after any statement is completed by the next', async () => {
    const options = await cluster.createDatabase()
    const clickHouse = await connectClickHouse(options)
    for (let statements = 0; ; statements++) {
      let left = statements
      const interrupted = Object.create(clickHouse, {
        select: { value: clickHouse.select.bind(clickHouse) },
        command: {
          value: async (...given: Parameters<typeof clickHouse.command>) => {
            if (left-- === 0) throw new Error('interrupted')
            await clickHouse.command(...given)
          },
        },
      }) as typeof clickHouse
      const isComplete = await migrateClickHouse(interrupted).then(
        () => true,
        () => false,
      )
      if (isComplete) break
      await assert.rejects(requireClickHouseSchema(clickHouse), isConflict(/envelog migrate/))
    }
    await requireClickHouseSchema(clickHouse)
    await clickHouse.close()
  })

  test('a schema of a newer version is refused, by the migration and by servers that it does not name', async () => {
    await using scene = await openScene()
    const { clickHouse } = scene
    const newer = { version: SCHEMA_VERSION + 1, shards: 2 }
    await writeSchemaState(clickHouse, { ...newer, serves: SCHEMA_VERSION })
    await requireClickHouseSchema(clickHouse)
    await writeSchemaState(clickHouse, { ...newer, serves: SCHEMA_VERSION + 1 })
    await assert.rejects(requireClickHouseSchema(clickHouse), isConflict(/newer version of Envelog/))
    await assert.rejects(migrateClickHouse(clickHouse), isConflict(/newer version of Envelog/))
  })

  test('another number of shards is used by new connections; old ones can neither read nor store', async () => {
    const options = await cluster.createDatabase()
    const first = await connectClickHouse(options)
    await assert.rejects(migrateClickHouse(first, { shards: 3 }), /has 2 shards; 3 were requested/)
    await migrateClickHouse(first, { shards: 1 })
    await first.close()
    const old = await connectClickHouse(options)
    assert.equal(old.shards, 1)
    assert.equal(old.configuredShards, 2)
    const store = (domain: number) => ({
      table: 'domain_change' as const,
      body: Buffer.from(`${domain}\t1\n`),
      columns: ['domain', 'changed_at_ms'],
      format: 'TabSeparated' as const,
      token: `${domain}`,
      timeoutMs: 10_000,
      shard: 0,
    })
    await old.insert(store(1))
    await migrateClickHouse(old, { shards: 2 })
    await assert.rejects(old.insert(store(2)), isUnavailable)
    await assert.rejects(old.select(`SELECT count() FROM ${old.readFrom('domain_change')}`), isUnavailable)
    await old.close()
    const now = await connectClickHouse(options)
    assert.deepEqual(await findSchemaState(now), { version: SCHEMA_VERSION, shards: 2, serves: SERVES })
    await now.insert(store(3))
    const rows = await now.select(`SELECT domain FROM ${now.readFrom('domain_change')} ORDER BY domain`)
    assert.deepEqual(rows, [['1'], ['3']])
    const onShards = await Promise.all(
      [0, 2].map((index) =>
        ask(cluster.servers[index]?.url ?? '', `SELECT domain FROM \`${now.database}\`.domain_change`),
      ),
    )
    assert.deepEqual(onShards, ['1\n', '3\n'])
    await now.close()
  })

  test('a single server needs a version that recognizes a repeated insert', async () => {
    await using server = await startSingleServer()
    const single = await connectClickHouse(await server.createDatabase())
    await assert.rejects(migrateClickHouse(single), isConflict(/24\.8 or newer/))
    await single.close()
  })

  test('a newer version gets codecs, indexes and synced inserts, and no setting that an older one lacks is in its schema', () => {
    const place = { database: 'envelog', cluster: 'envelog' }
    const modern = createTable('event', { ...place, version: MODERN })
    for (const { name } of listIndexes(MODERN)) assert.match(modern, new RegExp(`INDEX ${name} `))
    assert.match(modern, /CODEC\(Delta, ZSTD\(1\)\)/)
    assert.match(modern, /fsync_after_insert = 1/)
    const old = createTable('event', { ...place, version: [18, 16] })
    assert.doesNotMatch(old, /CODEC|INDEX|LowCardinality|fsync|min_age/)
    const single = createTable('event', { version: MODERN, database: 'envelog' })
    assert.match(single, /ENGINE = MergeTree\(\)/)
    assert.match(single, /non_replicated_deduplication_window/)
  })

  async function openScene() {
    const clickHouse = await cluster.openDatabase()
    return { clickHouse, [Symbol.asyncDispose]: () => clickHouse.close() }
  }
})

function ask(url: string, sql: string): Promise<string> {
  return run(url, `${sql} ORDER BY 1 FORMAT TabSeparated`)
}

async function run(url: string, sql: string): Promise<string> {
  const response = await fetch(url, { method: 'POST', body: sql })
  const text = await response.text()
  assert.equal(response.status, 200, text)
  return text
}

function isConflict(message: RegExp) {
  return (error: unknown) => error instanceof AppError && error.code === 'conflict' && message.test(error.message)
}

function isUnavailable(error: unknown): boolean {
  return error instanceof AppError && error.code === 'storage_unavailable'
}
