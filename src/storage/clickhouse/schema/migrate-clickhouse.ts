/** Creates and changes the tables. Can be interrupted and repeated; the caller makes sure that one process does it at a time. */
import { AppError } from '../../../lib/app-error.ts'
import type { ClickHouse } from '../server/clickhouse.ts'
import { isNew } from '../server/features.ts'
import { requireOwnPaths } from './own-paths.ts'
import { createOwnShardView } from './own-shard-view.ts'
import { findSchemaState, listUsedShards, newerSchema, SCHEMA_VERSION, writeSchemaState } from './schema-state.ts'
import {
  createDistributed,
  createTable,
  distributedName,
  listIndexes,
  listNewSettings,
  onCluster,
  quote,
  TABLES,
} from './tables.ts'

export interface MigrationOptions {
  /**
   * Number of shards that new events are divided among. Default: unchanged, and at first all that ClickHouse's configuration has. To change
   * it, the caller holds the locks of all shards, and no batch is unfinished; servers that run have to be restarted.
   */
  readonly shards?: number
  /** Called when the old number can no longer be used and the new one not yet. If it throws, it stays so. */
  readonly beforeState?: () => Promise<void>
}

/** Throws AppError `conflict` if a newer version of Envelog has changed the schema, or if ClickHouse cannot keep what we promise. */
export async function migrateClickHouse(
  clickHouse: ClickHouse,
  { shards, beforeState }: MigrationOptions = {},
): Promise<void> {
  const { version, database, cluster } = clickHouse
  requireSafeRepeating(clickHouse)
  const state = await findSchemaState(clickHouse)
  if (state && state.version > SCHEMA_VERSION) throw newerSchema(state.version)
  const wanted = shards ?? state?.shards ?? clickHouse.configuredShards
  if (wanted < 1 || wanted > clickHouse.configuredShards) {
    throw new AppError(
      'invalid_request',
      `The cluster has ${clickHouse.configuredShards} ${clickHouse.configuredShards === 1 ? 'shard' : 'shards'}; ${wanted} were requested.`,
    )
  }
  await requireOwnPaths(clickHouse)
  await clickHouse.command(`CREATE DATABASE IF NOT EXISTS ${quote(database)}${onCluster(cluster)}`, {
    database: 'system',
  })
  const place = { version, database, ...(cluster !== undefined && { cluster }) }
  for (const table of TABLES) {
    await clickHouse.command(createTable(table, place))
  }
  await createDistributedTables(clickHouse, wanted)
  await addIndexes(clickHouse)
  await addSettings(clickHouse)
  if (cluster !== undefined) await createOwnShardView(clickHouse, wanted)
  // The state comes last: servers that start take the number from it, and those that run must not be able to store by another one then.
  await dropOtherDistributed(clickHouse, wanted)
  await beforeState?.()
  await writeSchemaState(clickHouse, { version: SCHEMA_VERSION, shards: wanted }, state)
}

/** Throws AppError `conflict` for a version that stores a repeated insert again. */
export function requireSafeRepeating({ version, cluster }: ClickHouse): void {
  if (cluster !== undefined || isNew(version)) return
  throw new AppError(
    'conflict',
    `A single ClickHouse server has to be version 24.8 or newer (found ${version.join('.')}): earlier versions store a repeated insert again. Upgrade ClickHouse, or use replicated tables (ENVELOG_CLICKHOUSE_CLUSTER).`,
  )
}

export async function createDistributedTables(clickHouse: ClickHouse, shards: number): Promise<void> {
  const { database, cluster } = clickHouse
  if (cluster === undefined) return
  for (const table of TABLES) await clickHouse.command(createDistributed(table, shards, database, cluster))
}

/** Of a version that got them by an upgrade. Parts that are there already get them when they are merged. */
async function addIndexes(clickHouse: ClickHouse): Promise<void> {
  const { version, database, cluster } = clickHouse
  const wanted = listIndexes(version)
  if (wanted.length === 0) return
  const rows = await clickHouse.select(
    `SELECT name FROM system.data_skipping_indices WHERE database = '${database}' AND table = 'event'`,
    { isStrict: false },
  )
  const present = new Set(rows.map(([name]) => name))
  for (const { name, definition } of wanted.filter((index) => !present.has(index.name))) {
    await clickHouse.command(
      `ALTER TABLE ${quote(database)}.event${onCluster(cluster)} ADD INDEX IF NOT EXISTS ${name} ${definition}`,
    )
  }
}

/** Those that the version of ClickHouse, or of Envelog, that made the tables did not have. A value that the operator has set is kept. */
async function addSettings(clickHouse: ClickHouse): Promise<void> {
  const { version, database, cluster } = clickHouse
  if (!isNew(version)) return
  const names = TABLES.map((table) => `'${table}'`).join(', ')
  const rows = await clickHouse.select(
    `SELECT name, engine_full FROM system.tables WHERE database = '${database}' AND name IN (${names})`,
    { isStrict: false },
  )
  const engines = new Map(rows.map(([name, engine = '']) => [name, engine]))
  for (const table of TABLES) {
    const isSet = (setting: string) => engines.get(table)?.includes(` ${setting.split(' ')[0]} = `)
    const missing = listNewSettings(table, version).filter((setting) => !isSet(setting))
    if (missing.length === 0) continue
    const target = `${quote(database)}.${table}${onCluster(cluster)}`
    await clickHouse.command(`ALTER TABLE ${target} MODIFY SETTING ${missing.join(', ')}`)
  }
}

/** From here on, servers that count with another number of shards fail. A single server has none of these tables. */
async function dropOtherDistributed(clickHouse: ClickHouse, shards: number): Promise<void> {
  const { database, cluster } = clickHouse
  for (const other of await listUsedShards(clickHouse)) {
    if (other === shards) continue
    for (const table of TABLES) {
      const name = `${quote(database)}.${distributedName(table, other)}`
      await clickHouse.command(`DROP TABLE IF EXISTS ${name}${onCluster(cluster)}`)
    }
  }
}
