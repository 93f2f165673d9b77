/** Which schema a database of ClickHouse has: a view of constants, which every server of the cluster has without replication. */
import { AppError } from '../../../lib/app-error.ts'
import { PROGRAM } from '../../../lib/program-name.ts'
import type { ClickHouse } from '../server/clickhouse.ts'
import { Members } from '../upkeep/members.ts'
import { distributedName, onCluster, quote, TABLES } from './tables.ts'

export interface SchemaState {
  readonly version: number
  /** Number of shards that events are divided among. */
  readonly shards: number
}

export const SCHEMA_VERSION = 2
/** The lowest version whose servers may work with it; stored, because they do not know it. See docs/decisions/0053. */
export const SERVES = 2
const VIEW = 'schema_state'
const DISTRIBUTED = new RegExp(`^(?:${TABLES.map((table) => distributedName(table, 0).slice(0, -1)).join('|')})(\\d+)$`)

/** Whether a table with this name has the rows of all shards. */
export function isDistributedName(name: string): boolean {
  return DISTRIBUTED.test(name)
}

// Without the database, which may not exist.
const ANYWHERE = { isStrict: false, settings: { database: 'system' } }

/** Undefined if there is none, also if there is no database. */
export async function findSchemaState(
  clickHouse: ClickHouse,
): Promise<(SchemaState & { readonly serves: number }) | undefined> {
  const { database, cluster } = clickHouse
  const exists = `SELECT name FROM system.tables WHERE database = '${database}' AND name = '${VIEW}'`
  const isThere = (await clickHouse.select(exists, ANYWHERE)).length > 0
  if (!isThere && cluster === undefined) return undefined
  // The server that was asked may be a replica that was replaced, and has nothing yet: one after the other is asked.
  const reading = clickHouse.select(`SELECT version, shards, serves FROM ${quote(database)}.${VIEW}`, ANYWHERE)
  const [row] = await (isThere ? reading : reading.catch(ignoreUnavailable))
  return row && { version: Number(row[0]), shards: Number(row[1]), serves: Number(row[2]) }
}

function ignoreUnavailable(error: unknown): readonly [] {
  if (error instanceof AppError && error.code === 'storage_unavailable') return []
  throw error
}

/**
 * Numbers of shards that any member of the cluster has tables for: more than one after a change that was interrupted, none before the
 * first migration. All members have to answer: what is not known must not be taken for nothing.
 */
export async function listUsedShards(clickHouse: ClickHouse): Promise<readonly number[]> {
  if (clickHouse.cluster === undefined) return []
  const members = await Members.list(clickHouse)
  const found = await members.ask('tables', 'name', "engine = 'Distributed'", 'all').catch(async (error: unknown) => {
    throw error instanceof AppError ? missingMembers(error, await members.listSilent()) : error
  })
  const numbers = [...found.values()].flat(2).map((name) => Number(DISTRIBUTED.exec(name)?.[1]))
  return [...new Set(numbers)].filter((number) => number > 0).sort((a, b) => a - b)
}

function missingMembers(cause: AppError, silent: readonly string[]): AppError {
  const missing = silent.length === 0 ? '' : ` (missing: ${silent.join(', ')})`
  return new AppError(
    'storage_unavailable',
    `Not all ClickHouse servers of the cluster answer${missing}. Start those that are missing, or take them out of the configuration of ClickHouse, then run this command again. ClickHouse was not changed.`,
    { cause },
  )
}

/**
 * To be written when there are only tables for this number of shards. A process that dies between the two leaves no state: the next migration
 * puts it there, by the names of the tables. A state that is right
 * is put only where it is missing, on servers that were added.
 */
export async function writeSchemaState(
  clickHouse: ClickHouse,
  { version, shards, serves = SERVES }: SchemaState & { readonly serves?: number },
  found?: SchemaState & { readonly serves: number },
): Promise<void> {
  const { database, cluster } = clickHouse
  const name = `${quote(database)}.${VIEW}${onCluster(cluster)}`
  const isRight = found?.version === version && found.shards === shards && found.serves === serves
  if (!isRight) await clickHouse.command(`DROP TABLE IF EXISTS ${name}`)
  await clickHouse.command(
    `CREATE VIEW IF NOT EXISTS ${name} AS SELECT ${version} AS version, ${shards} AS shards, ${serves} AS serves`,
  )
}

/** Throws AppError `conflict` unless this version of Envelog may serve the schema. */
export async function requireClickHouseSchema(clickHouse: ClickHouse): Promise<void> {
  const { version: found = 0, serves = 0 } = (await findSchemaState(clickHouse)) ?? {}
  if (found > SCHEMA_VERSION && serves > SCHEMA_VERSION) throw newerSchema(found)
  if (found < SCHEMA_VERSION) {
    throw new AppError(
      'conflict',
      `The ClickHouse database ${clickHouse.database} has schema ${found}; this version of Envelog requires ${SCHEMA_VERSION}. Run: ${PROGRAM} migrate`,
    )
  }
}

export function newerSchema(found: number): AppError {
  return new AppError(
    'conflict',
    `The ClickHouse database was migrated by a newer version of Envelog (schema ${found}, this version knows ${SCHEMA_VERSION}). Start that version or a later one.`,
  )
}
