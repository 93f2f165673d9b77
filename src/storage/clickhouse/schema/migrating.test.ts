/** The statements of a migration, and what follows from what servers report: a test answers for them. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../../lib/app-error.ts'
import type { Statements } from '../../postgres/database/postgres.ts'
import type { ClickHouse, TableName } from '../server/clickhouse.ts'
import { requireSameInstallation, tieInstallation } from './installation.ts'
import { type MigrationOptions, migrateClickHouse } from './migrate-clickhouse.ts'
import { dropOwnShardView, hasOwnShardView } from './own-shard-view.ts'
import {
  findSchemaState,
  listUsedShards,
  requireClickHouseSchema,
  SCHEMA_VERSION,
  SERVES,
  writeSchemaState,
} from './schema-state.ts'
import { listSilent } from './silent-members.ts'
import { createTable, listIndexes } from './tables.ts'

type Rows = readonly (readonly string[])[]

interface Scene {
  readonly version?: readonly [number, number]
  readonly isCluster?: boolean
  readonly configuredShards?: number
  /** Version, shards and lowest version that may serve it. */
  readonly state?: readonly [number, number, number]
  /** The server that was asked first has nothing yet. */
  readonly isReplaced?: boolean
  /** Names of distributed tables. */
  readonly tables?: readonly string[]
  readonly indexes?: readonly string[]
  /** A setting that the tables do not have, and what they have instead. */
  readonly lacking?: string
  readonly instead?: string
  readonly hasView?: boolean
  readonly hasEvents?: boolean
  readonly installation?: string
  readonly failure?: (sql: string) => Error | undefined
}

function open(scene: Scene = {}) {
  const { version = [24, 8], isCluster = true, configuredShards = 2, state, isReplaced = false, failure } = scene
  const { tables = [], indexes = [], lacking, instead = '', hasView = false, hasEvents = false, installation } = scene
  const commands: string[] = []
  const asked: string[] = []
  const answer = (sql: string): Rows => {
    if (sql.includes('system.clusters'))
      return [
        ['a', '1', '1'],
        ['b', '1', '2'],
      ]
    if (sql.includes("name = 'schema_state'")) return state && !isReplaced ? [['schema_state']] : []
    if (sql.includes('`.schema_state')) {
      if (!state) throw new AppError('storage_unavailable', 'x')
      return [state.map(String)]
    }
    if (sql.includes("name = 'installation'")) return installation === undefined ? [] : [['installation']]
    if (sql.includes('`.installation')) return installation === undefined || installation === '' ? [] : [[installation]]
    if (sql.includes('data_skipping_indices')) return indexes.map((name) => [name])
    if (sql.includes('engine_full')) {
      const engineOf = (table: TableName) => createTable(table, { version, database: 'd' }).split('ENGINE')[1] ?? ''
      return TABLES.map((table) => [
        table,
        lacking === undefined ? engineOf(table) : engineOf(table).replace(lacking, instead),
      ])
    }
    if (sql.includes("engine = 'Distributed'")) return tables.map((name) => ['a', '1', name])
    if (sql.includes('own_shard_')) return hasView ? [['a', '1', 'own_shard_2']] : []
    if (sql.includes('system.parts')) return hasEvents ? [['a', '1', 'p']] : []
    return []
  }
  const clickHouse = {
    version,
    database: 'd',
    cluster: isCluster ? 'c' : undefined,
    shards: 2,
    configuredShards,
    async select(sql: string) {
      asked.push(sql)
      const failed = failure?.(sql)
      if (failed) throw failed
      return answer(sql)
    },
    command: async (sql: string) => void commands.push(sql.replaceAll(/\s+/g, ' ')),
  } as unknown as ClickHouse
  const begins = () => commands.map((sql) => sql.replace(/ (?:ON CLUSTER|\().*$/, '').replaceAll('`', ''))
  return { clickHouse, commands, begins, asked }
}

const away = () => new AppError('storage_unavailable', 'x')
const TABLES = ['event', 'event_hour', 'sending_hour', 'domain_change'] as const

describe('the state of the schema', () => {
  test('is what the view says, also if the server that was asked first has nothing yet', async () => {
    const found = { version: 1, shards: 3, serves: 2 }
    const state = [1, 3, 2] as const
    assert.deepEqual(await findSchemaState(open({ state }).clickHouse), found)
    assert.deepEqual(await findSchemaState(open({ state, isReplaced: true }).clickHouse), found)
    assert.deepEqual(await findSchemaState(open({ state, isCluster: false }).clickHouse), found)
  })

  test('is absent if no server has one; a single one is not asked for what it does not have', async () => {
    assert.equal(await findSchemaState(open().clickHouse), undefined)
    const single = open({ isCluster: false })
    assert.deepEqual([await findSchemaState(single.clickHouse), single.asked.length], [undefined, 1])
  })

  test('is not taken for absent if it cannot be read', async () => {
    const failing = (error: Error, scene: Scene) =>
      findSchemaState(
        open({ ...scene, failure: (sql) => (sql.includes('`.schema_state') ? error : undefined) }).clickHouse,
      )
    await assert.rejects(failing(away(), { state: [1, 2, 1] }), { code: 'storage_unavailable' })
    await assert.rejects(failing(new Error('bug'), {}), /bug/)
    await assert.rejects(failing(new AppError('overloaded', 'x'), {}), { code: 'overloaded' })
  })

  test('is written anew only if it is another', async () => {
    const written = async (found?: Parameters<typeof writeSchemaState>[2]) => {
      const { clickHouse, begins } = open()
      await writeSchemaState(clickHouse, { version: SCHEMA_VERSION, shards: 2 }, found)
      return begins().map((sql) => sql.split(' ')[0])
    }
    assert.deepEqual(await written({ version: SCHEMA_VERSION, shards: 2, serves: SERVES }), ['CREATE'])
    for (const found of [
      undefined,
      { version: SCHEMA_VERSION + 1, shards: 2, serves: SERVES },
      { version: SCHEMA_VERSION, shards: 3, serves: SERVES },
      { version: SCHEMA_VERSION, shards: 2, serves: SERVES + 1 },
    ]) {
      assert.deepEqual(await written(found), ['DROP', 'CREATE'])
    }
  })

  test('may be served if it is not older, and newer only if it says so', async () => {
    const served = (version: number, serves: number) =>
      requireClickHouseSchema(open({ state: [version, 2, serves] }).clickHouse)
    await served(SCHEMA_VERSION, SCHEMA_VERSION)
    await served(SCHEMA_VERSION, SCHEMA_VERSION + 1)
    await served(SCHEMA_VERSION + 1, SCHEMA_VERSION)
    await assert.rejects(served(SCHEMA_VERSION + 1, SCHEMA_VERSION + 1), /newer version of Envelog/)
    await assert.rejects(served(SCHEMA_VERSION - 1, 0), /Run: bin\/envelog migrate/)
    await assert.rejects(requireClickHouseSchema(open().clickHouse), /has schema 0;.* Run: bin\/envelog migrate/)
  })
})

describe('numbers of shards in use', () => {
  test('are those of the tables of any member, each once', async () => {
    const tables = [
      'event_all_10',
      'event_hour_all_2',
      'sending_hour_all_2',
      'other_all_3',
      'event_all_x',
      'event_all_0',
    ]
    assert.deepEqual(await listUsedShards(open({ tables }).clickHouse), [2, 10])
    assert.deepEqual(await listUsedShards(open({ tables, isCluster: false }).clickHouse), [])
  })

  test('are not known unless all members answer: those that do not are named', async () => {
    const failing = (error: Error, silent: string) =>
      open({
        failure: (sql) =>
          sql.includes('Distributed') ? error : sql.includes(`remote('${silent}`) ? away() : undefined,
      }).clickHouse
    await assert.rejects(listUsedShards(failing(away(), 'b:1')), {
      code: 'storage_unavailable',
      message: /missing: b:1/,
    })
    await assert.rejects(listUsedShards(failing(away(), 'x')), { message: /of the cluster answer\. Start/ })
    await assert.rejects(listUsedShards(failing(new Error('bug'), 'b:1')), /^Error: bug$/)
    assert.deepEqual(await listSilent(failing(away(), 'b:1')), ['b:1'])
    assert.deepEqual(await listSilent(open({ failure: away }).clickHouse), [])
  })
})

describe('a migration', () => {
  async function migrate(scene: Scene, options?: MigrationOptions) {
    const opened = open(scene)
    await migrateClickHouse(opened.clickHouse, options)
    return opened
  }

  test('of a new database makes all tables of all shards, and the state last', async () => {
    const { begins, commands } = await migrate({ indexes: listIndexes([24, 8]).map(({ name }) => name) })
    assert.deepEqual(begins(), [
      'CREATE DATABASE IF NOT EXISTS d',
      ...TABLES.map((table) => `CREATE TABLE IF NOT EXISTS d.${table}`),
      ...TABLES.map((table) => `CREATE TABLE IF NOT EXISTS d.${table}_all_2`),
      'CREATE VIEW IF NOT EXISTS d.own_shard_2',
      'DROP TABLE IF EXISTS d.schema_state',
      'CREATE VIEW IF NOT EXISTS d.schema_state',
    ])
    assert.ok(commands.every((sql) => sql.includes('ON CLUSTER `c`')))
    assert.match(commands.at(-1) ?? '', /SELECT 2 AS version, 2 AS shards, 2 AS serves$/)
  })

  test('of a single server makes neither distributed tables nor views of shards', async () => {
    const { begins, commands } = await migrate({ isCluster: false, configuredShards: 1 })
    assert.ok(commands.every((sql) => !sql.includes('CLUSTER') && !sql.includes('_all_') && !sql.includes('own_shard')))
    assert.deepEqual(
      begins().at(-1),
      'CREATE VIEW IF NOT EXISTS d.schema_state AS SELECT 2 AS version, 1 AS shards, 2 AS serves',
    )
    await assert.rejects(migrate({ isCluster: false, version: [24, 7] }), { code: 'conflict' })
    await migrate({ version: [18, 16] })
  })

  test('keeps the number of shards unless another is wanted, whose tables are dropped before the state says so', async () => {
    const state = [SCHEMA_VERSION, 2, SERVES] as const
    const tables = ['event_all_2', 'event_all_3']
    const kept = await migrate({ state, tables, configuredShards: 3 })
    assert.ok(kept.begins().includes('CREATE TABLE IF NOT EXISTS d.event_all_2'))
    const drops = (all: readonly string[]) => all.filter((sql) => sql.startsWith('DROP'))
    assert.deepEqual(
      drops(kept.begins()),
      TABLES.map((table) => `DROP TABLE IF EXISTS d.${table}_all_3`),
    )
    let before: readonly string[] = []
    const changed = open({ state, tables, configuredShards: 3 })
    const beforeState = async () => {
      before = changed.begins()
    }
    await migrateClickHouse(changed.clickHouse, { shards: 3, beforeState })
    assert.deepEqual(
      drops(before),
      TABLES.map((table) => `DROP TABLE IF EXISTS d.${table}_all_2`),
    )
    assert.deepEqual(
      changed
        .begins()
        .slice(before.length)
        .map((sql) => sql.split(' ')[0]),
      ['DROP', 'CREATE'],
    )
  })

  test('refuses shards that the cluster does not have, and what a newer version has made', async () => {
    for (const shards of [0, 3]) await assert.rejects(migrate({}, { shards }), { code: 'invalid_request' })
    for (const shards of [1, 2]) await migrate({}, { shards })
    await assert.rejects(migrate({ state: [SCHEMA_VERSION + 1, 2, SERVES] }), /newer version/)
    await migrate({ state: [SCHEMA_VERSION, 2, SERVES] })
  })

  test('adds indexes that are missing', async () => {
    const [first, ...others] = listIndexes([24, 8]).map(({ name }) => name)
    const { commands } = await migrate({ indexes: [...others, 'another'] })
    const added = commands.filter((sql) => sql.includes('ADD INDEX'))
    assert.deepEqual(
      added.map((sql) => sql.split(' ').slice(0, 12).join(' ')),
      [`ALTER TABLE \`d\`.event ON CLUSTER \`c\` ADD INDEX IF NOT EXISTS ${first}`],
    )
    const old = await migrate({ version: [18, 16] })
    assert.ok(old.asked.every((sql) => !sql.includes('data_skipping')))
  })

  test('adds settings that are missing, to the tables that should have them', async () => {
    const added = async (scene: Scene) =>
      (await migrate(scene)).commands.filter((sql) => sql.includes('MODIFY SETTING'))
    assert.deepEqual(await added({}), [])
    const lacking = 'min_age_to_force_merge_seconds = 172800'
    assert.deepEqual(
      await added({ lacking: 'fsync_part_directory = 1' }),
      TABLES.map((table) => `ALTER TABLE \`d\`.${table} ON CLUSTER \`c\` MODIFY SETTING fsync_part_directory = 1`),
    )
    assert.deepEqual(
      (await added({ lacking })).map((sql) => sql.split(' ')[2]),
      ['`d`.event', '`d`.event_hour', '`d`.sending_hour'],
    )
    assert.deepEqual(await added({ lacking, instead: 'min_age_to_force_merge_seconds = 604800' }), [])
    assert.deepEqual(await added({ version: [18, 16], lacking: 'fsync_part_directory = 1' }), [])
  })

  test('makes the view of shards where it is certain that each domain was always on one', async () => {
    const hasMade = async (scene: Scene) =>
      (await migrate(scene)).begins().includes('CREATE VIEW IF NOT EXISTS d.own_shard_2')
    assert.equal(await hasMade({ hasEvents: true }), false)
    assert.equal(await hasMade({ tables: ['event_all_2'] }), true)
    assert.equal(await hasMade({ tables: ['event_all_1', 'event_all_2'] }), false)
    assert.equal(await hasMade({ hasEvents: true, hasView: true }), true)
  })
})

test('the view of shards is found, and dropped for each number', async () => {
  const { clickHouse, begins } = open({ hasView: true })
  assert.equal(await hasOwnShardView(clickHouse, 2), true)
  assert.equal(await hasOwnShardView(open().clickHouse, 2), false)
  await dropOwnShardView(clickHouse, [2, 3])
  assert.deepEqual(begins(), ['DROP TABLE IF EXISTS d.own_shard_2', 'DROP TABLE IF EXISTS d.own_shard_3'])
})

test('tables have what the version has, and are replicated on a cluster', () => {
  const made = (version: readonly [number, number], cluster?: string) =>
    createTable('event_hour', { version, database: 'd', ...(cluster !== undefined && { cluster }) })
  const single = made([24, 8])
  assert.match(single, /ENGINE = SummingMergeTree\(\(n\)\)\nPARTITION BY .*\nORDER BY/)
  assert.match(
    single,
    /SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1, min_age_to_force_merge_seconds = 172800, min_age_to_force_merge_on_partition_only = 1$/,
  )
  assert.match(single, /domain UInt32 CODEC\(ZSTD\(1\)\)/)
  const cluster = made([18, 16], 'c')
  assert.match(
    cluster,
    /ReplicatedSummingMergeTree\('\/clickhouse\/tables\/\{shard\}\/d\/event_hour_1', '\{replica\}', \(n\)\)/,
  )
  assert.match(
    cluster,
    /SETTINGS index_granularity = 1024, replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800$/,
  )
  assert.match(cluster, /domain UInt32,/)
  const event = createTable('event', { version: [24, 8], database: 'd', cluster: 'c' })
  assert.match(event, /ReplicatedMergeTree\('[^']*', '\{replica\}'\)/)
  assert.match(event, /INDEX by_id id TYPE/)
  assert.doesNotMatch(createTable('domain_change', { version: [24, 8], database: 'd' }), /PARTITION|INDEX/)
})

test('a database belongs to the installation whose id it has; without one to any', async () => {
  const db = (id?: string) => ({ get: async () => (id === undefined ? undefined : { id }) }) as unknown as Statements
  for (const installation of [undefined, '', 'x'] as const) {
    const scene = installation === undefined ? {} : { installation }
    await requireSameInstallation(db('x'), open(scene).clickHouse)
  }
  await assert.rejects(requireSameInstallation(db('y'), open({ installation: 'x' }).clickHouse), { code: 'conflict' })
  await assert.rejects(requireSameInstallation(db(), open({ installation: 'x' }).clickHouse), { code: 'conflict' })
  const { clickHouse, commands } = open()
  const created: unknown[] = []
  await tieInstallation(
    { ...db('x'), run: async (...given: unknown[]) => void created.push(given[1]) } as unknown as Statements,
    clickHouse,
  )
  assert.deepEqual(
    [created.length, commands],
    [1, ["CREATE VIEW IF NOT EXISTS `d`.installation ON CLUSTER `c` AS SELECT 'x' AS id"]],
  )
})
