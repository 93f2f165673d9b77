/** Brings the schemas of both databases up to date, for the command line. */
import type { Config } from '../config/options.ts'
import { AppError } from '../lib/app-error.ts'
import { databasesOf } from '../open-storage.ts'

export interface MigrationProgress {
  readonly database: 'PostgreSQL' | 'ClickHouse'
  /** What was applied, or is waited for. */
  readonly step: string
}

/**
 * Any number of processes may do it at the same time, and again after an interruption. Throws AppError `conflict` for a schema of a newer
 * version, and while servers run that the new schema of a database would break: then that database is not changed.
 */
export async function migrateDatabases(
  config: Config,
  onProgress: (progress: MigrationProgress) => void,
  shards?: number,
): Promise<readonly MigrationProgress[]> {
  if (config.storage !== 'clickhouse') {
    throw new AppError(
      'conflict',
      'Nothing to migrate: ENVELOG_STORAGE is sqlite, and the server migrates its data folder when it starts.',
    )
  }
  const { postgresUrl, clickhouse } = databasesOf(config)
  const done: MigrationProgress[] = []
  const report = (database: MigrationProgress['database']) => (step: string) => {
    done.push({ database, step })
    onProgress({ database, step })
  }
  // Loaded only here: the clients of the databases take as long to load as everything else together.
  const { migrateSchemas } = await import('../storage/clickhouse/migrate-schemas.ts')
  const onWaiting = (servers: string) =>
    onProgress({ database: 'ClickHouse', step: `waiting up to three minutes for ${servers}` })
  const reports = { onPostgres: report('PostgreSQL'), onClickHouse: report('ClickHouse'), onWaiting }
  await migrateSchemas({ postgresUrl, clickhouse }, reports, shards)
  return done
}
