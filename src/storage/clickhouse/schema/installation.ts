/**
 * Ties the two databases together: PostgreSQL has the id of the installation as a setting, ClickHouse as a view of a constant. With the
 * PostgreSQL of another installation, the events of its domains would be those of somebody else.
 */
import { randomUUID } from 'node:crypto'
import { AppError } from '../../../lib/app-error.ts'
import type { Statements } from '../../postgres/database/postgres.ts'
import type { ClickHouse } from '../server/clickhouse.ts'
import { onCluster, quote } from './tables.ts'

const VIEW = 'installation'
const READ = "SELECT convert_from(value, 'UTF8') AS id FROM setting WHERE name = 'installation'"
const CREATE = "INSERT INTO setting VALUES ('installation', convert_to($1, 'UTF8')) ON CONFLICT (name) DO NOTHING"
// Without the database, which may not exist.
const ANYWHERE = { isStrict: false, settings: { database: 'system' } }

/** Throws AppError `conflict`. A database without an id, or a replica that was replaced and has nothing yet, is accepted. */
export async function requireSameInstallation(db: Statements, clickHouse: ClickHouse): Promise<void> {
  const { database } = clickHouse
  const exists = `SELECT name FROM system.tables WHERE database = '${database}' AND name = '${VIEW}'`
  if ((await clickHouse.select(exists, ANYWHERE)).length === 0) return
  const [[id] = []] = await clickHouse.select(`SELECT id FROM ${quote(database)}.${VIEW}`, ANYWHERE)
  if (id === undefined || id === (await findId(db))) return
  throw new AppError(
    'conflict',
    `The ClickHouse database ${database} belongs to a different installation than the PostgreSQL database. Check ENVELOG_POSTGRES_URL, ENVELOG_CLICKHOUSE_URL and ENVELOG_CLICKHOUSE_DATABASE.`,
  )
}

/** To be called after requireSameInstallation, with statements that are committed at once: ClickHouse must not have an id that nobody knows. */
export async function tieInstallation(db: Statements, clickHouse: ClickHouse): Promise<void> {
  const { database, cluster } = clickHouse
  await db.run(CREATE, randomUUID())
  const id = await findId(db)
  await clickHouse.command(
    `CREATE VIEW IF NOT EXISTS ${quote(database)}.${VIEW}${onCluster(cluster)} AS SELECT '${id}' AS id`,
  )
}

async function findId(db: Statements): Promise<string | undefined> {
  return (await db.get<{ id: string }>(READ))?.id
}
