/**
 * Applies numbered .sql files in order, each once and under a lock: any number of processes may try at the same time.
 *
 * A migration that leaves a schema with which earlier versions work correctly says so, in a line `-- Serves: N`: versions that know schema
 * N or a later one may serve it. That is stored with the schema, because those versions do not have the file. See docs/decisions/0053.
 */
import { AppError } from '../../../lib/app-error.ts'
import { PROGRAM } from '../../../lib/program-name.ts'
import type { Migration } from '../../read-migrations.ts'
import type { Postgres, Statements } from './postgres.ts'

const CREATE_TABLE = `
  CREATE TABLE IF NOT EXISTS migration (number bigint PRIMARY KEY, name text NOT NULL, checksum text NOT NULL, serves bigint)`
const SELECT = 'SELECT number, checksum, serves FROM migration ORDER BY number'
/** The connections of running servers have the numbers of the schemas that they know as their name: PostgreSQL's, and that of the events. */
const SERVER_NAME = 'envelog schema '
const COUNT_OLDER = `
  SELECT count(*) FROM (
    SELECT string_to_array(substr(application_name, ${SERVER_NAME.length + 1}), '.')::bigint[] AS known
    FROM pg_stat_activity
    WHERE datname = current_database() AND application_name ~ '^${SERVER_NAME}[0-9]{1,9}[.][0-9]{1,9}$') AS server
  WHERE known[1] < $1 OR known[2] < $2`

interface Applied {
  readonly number: number
  readonly checksum: string
  /** Null: only versions that know it. */
  readonly serves: number | null
}

export interface MigrationRun {
  readonly migrations: readonly Migration[]
  readonly lock: number
  /** Called after each one, which is not committed before all are. */
  readonly onApplied?: ((name: string) => void) | undefined
}

/** `events`: the number of the schema of events, which another database has. */
export function serverName(migrations: readonly Migration[], events: number): string {
  return `${SERVER_NAME}${migrations.length}.${events}`
}

/**
 * All of them or none. Throws AppError `conflict` if a newer version of Envelog has changed the schema, or if servers are running that
 * would not understand the new one.
 */
export async function runMigrations(db: Postgres, { migrations, lock, onApplied }: MigrationRun): Promise<void> {
  await db.transaction(async (statements) => {
    await statements.run('SELECT pg_advisory_xact_lock($1)', lock)
    await statements.run(CREATE_TABLE)
    const applied = await readApplied(statements)
    if (applied.length > migrations.length) throw newerSchema(applied.length, migrations.length)
    for (const [index, { checksum }] of applied.entries()) {
      const { name = '', checksum: expected } = migrations[index] ?? {}
      if (checksum !== expected) throw new Error(`migration ${name} was changed after it was applied to PostgreSQL`)
    }
    const pending = migrations.slice(applied.length)
    await requireNoOlderServers(statements, { control: lowestServing(pending) })
    for (const { number, name, sql, checksum } of pending) {
      await statements.run(sql)
      await statements.run(
        'INSERT INTO migration VALUES ($1, $2, $3, $4)',
        number,
        name,
        checksum,
        findServes(sql) ?? null,
      )
      onApplied?.(name)
    }
  })
}

/** Throws AppError `conflict` unless this version may serve the schema. */
export async function requireSchema(db: Postgres, migrations: readonly Migration[]): Promise<void> {
  const found = await db.number("SELECT count(*) FROM pg_class WHERE oid = to_regclass('migration')")
  const applied = found === 0 ? [] : await readApplied(db)
  const known = migrations.length
  if (applied.length < known) {
    throw new AppError(
      'conflict',
      `The PostgreSQL database has schema ${applied.length}; this version of Envelog requires ${known}. Run: ${PROGRAM} migrate`,
    )
  }
  const serves = applied.slice(known).every((migration) => migration.serves !== null && migration.serves <= known)
  if (!serves) throw newerSchema(applied.length, known)
}

/** Throws AppError `conflict` while servers run that know only lower numbers of a schema than these. */
export async function requireNoOlderServers(
  statements: Statements,
  { control = 0, events = 0 }: { readonly control?: number; readonly events?: number },
): Promise<void> {
  if ((await statements.number(COUNT_OLDER, control, events)) === 0) return
  const unchanged = control > 0 ? 'Nothing was changed.' : 'ClickHouse was not changed.'
  throw new AppError(
    'conflict',
    `Servers of an earlier version are running that cannot work with the new schema. Stop them, then run this command again. ${unchanged}`,
  )
}

function lowestServing(pending: readonly Migration[]): number {
  return Math.max(0, ...pending.map(({ number, sql }) => findServes(sql) ?? number))
}

/** The lowest schema whose versions may serve this one. */
function findServes(sql: string): number | undefined {
  const [, number] = /^-- Serves: (\d+)$/m.exec(sql) ?? []
  return number === undefined ? undefined : Number(number)
}

async function readApplied(statements: Statements): Promise<readonly Applied[]> {
  return statements.all<Applied>(SELECT)
}

function newerSchema(found: number, known: number): AppError {
  return new AppError(
    'conflict',
    `The PostgreSQL database was migrated by a newer version of Envelog (schema ${found}, this version knows ${known}). Start that version or a later one.`,
  )
}
