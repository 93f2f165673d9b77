/** Creates and changes the tables of both databases, under one lock in PostgreSQL. */
import { AppError } from '../../lib/app-error.ts'
import { PROGRAM } from '../../lib/program-name.ts'
import { migrateControl } from '../postgres/control/open-control.ts'
import { Postgres, type Statements } from '../postgres/database/postgres.ts'
import { requireNoOlderServers } from '../postgres/database/run-migrations.ts'
import { changeShards } from './change-shards.ts'
import { explainOpening, explainRefusal } from './explain-opening.ts'
import { explainUnfinished } from './explain-unfinished.ts'
import type { Databases } from './open-clickhouse-storage.ts'
import { requireSameInstallation, tieInstallation } from './schema/installation.ts'
import { migrateClickHouse, requireSafeRepeating } from './schema/migrate-clickhouse.ts'
import { requireKnownColumns } from './schema/require-known-columns.ts'
import { findSchemaState, listUsedShards, SCHEMA_VERSION, SERVES } from './schema/schema-state.ts'
import { listSilent, watchSilent } from './schema/silent-members.ts'
import { distributedName } from './schema/tables.ts'
import type { ClickHouse, TableName } from './server/clickhouse.ts'
import { type ClickHouseOptions, connectClickHouse } from './server/connect-clickhouse.ts'
import { continueNumbers } from './writing/arrival-guard.ts'
import { continueDomains } from './writing/domain-numbers.ts'

type OnApplied = (step: string) => void

export interface MigrationReports {
  readonly onPostgres: OnApplied
  readonly onClickHouse: OnApplied
  /** ClickHouse servers that do not answer, and that a statement has to wait for. */
  readonly onWaiting?: (servers: string) => void
}

/** PostgreSQL first, which refuses what running servers could not work with; before that, a look at whether ClickHouse can be used at all. */
export async function migrateSchemas(
  { postgresUrl, clickhouse }: Databases,
  { onPostgres, onClickHouse, onWaiting }: MigrationReports,
  shards?: number,
): Promise<void> {
  await requireUsable(clickhouse)
  await migrateControl(postgresUrl, {
    onApplied: onPostgres,
    async alsoMigrate(statements) {
      const clickHouse = await connect(clickhouse)
      using _watch = watchSilent(clickHouse, onWaiting)
      try {
        await migrateEvents(postgresUrl, clickHouse, statements, onClickHouse, shards)
      } catch (error) {
        throw explainRefusal(error) ?? (await explainUnfinished(error, () => listSilent(clickHouse)))
      } finally {
        await clickHouse.close()
      }
    },
  })
}

async function requireUsable(options: ClickHouseOptions): Promise<void> {
  const clickHouse = await connect(options)
  try {
    await requireKnownColumns(clickHouse)
  } catch (error) {
    throw explainRefusal(error) ?? error
  } finally {
    await clickHouse.close()
  }
}

async function connect(options: ClickHouseOptions): Promise<ClickHouse> {
  const clickHouse = await connectClickHouse(options).catch((error: unknown) => {
    throw explainOpening(error)
  })
  try {
    requireSafeRepeating(clickHouse)
    return clickHouse
  } catch (error) {
    await clickHouse.close()
    throw error
  }
}

async function migrateEvents(
  postgresUrl: string,
  clickHouse: ClickHouse,
  statements: Statements,
  onApplied: OnApplied,
  shards: number | undefined,
): Promise<void> {
  await requireSameInstallation(statements, clickHouse)
  const before = await findSchemaState(clickHouse)
  if (before && before.version < SCHEMA_VERSION) await requireNoOlderServers(statements, { events: SERVES })
  const used = await listUsedShards(clickHouse)
  const current = before?.shards ?? (used.length === 1 ? used[0] : undefined)
  const isInterrupted = used.some((number) => number !== current)
  if (isInterrupted && shards === undefined) throw interruptedChange([...new Set([current ?? used, used].flat())])
  const wanted = shards ?? current
  // Most of a change is done before the shards are held; without tables nobody stores anything.
  if (!isInterrupted) await migrateClickHouse(clickHouse, toOptions(current ?? shards))
  if (wanted !== undefined && (isInterrupted || (current !== undefined && wanted !== current))) {
    await changeShards(postgresUrl, clickHouse, wanted, used)
  }
  await tie(postgresUrl, clickHouse)
  const after = await findSchemaState(clickHouse)
  await checkNumbers(statements, clickHouse, after?.shards ?? 1, onApplied)
  if (before?.version !== after?.version) onApplied(`schema ${after?.version} in database ${clickHouse.database}`)
  if (before?.shards !== after?.shards) onApplied(after?.shards === 1 ? '1 shard' : `${after?.shards} shards`)
}

/** After a restore of both databases: the one that gives out numbers may be the older one. */
async function checkNumbers(
  statements: Statements,
  clickHouse: ClickHouse,
  shards: number,
  onApplied: OnApplied,
): Promise<void> {
  const nameTable = (table: TableName) => (clickHouse.cluster === undefined ? table : distributedName(table, shards))
  const next = await continueNumbers(statements, clickHouse, nameTable('event'))
  if (next !== undefined) onApplied(`arrival numbers continue at ${next}, because PostgreSQL was older than ClickHouse`)
  const domain = await continueDomains(statements, clickHouse, nameTable)
  if (domain !== undefined)
    onApplied(`domain numbers continue at ${domain}, because PostgreSQL was older than ClickHouse`)
}

/** With a connection of its own: the transaction of the migration is committed later. */
async function tie(postgresUrl: string, clickHouse: ClickHouse): Promise<void> {
  const db = new Postgres(postgresUrl)
  try {
    await tieInstallation(db, clickHouse)
  } finally {
    await db.close()
  }
}

function toOptions(shards: number | undefined): { readonly shards?: number } {
  return shards === undefined ? {} : { shards }
}

function interruptedChange(used: readonly number[]): AppError {
  const numbers = used.join(' and ')
  return new AppError(
    'conflict',
    `A change of the number of shards was interrupted: tables exist for ${numbers} shards. Run ${PROGRAM} migrate --shards N, with the new number to finish the change or the old one to undo it.`,
  )
}
