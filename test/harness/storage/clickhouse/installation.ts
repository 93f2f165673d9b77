/** Storages of several servers for suites: each has a PostgreSQL database of its own; many have one ClickHouse database. */
import type { Clock } from '../../../../src/lib/clock.ts'
import { openClickhouseStorage } from '../../../../src/storage/clickhouse/open-clickhouse-storage.ts'
import { Postgres } from '../../../../src/storage/postgres/database/postgres.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { PostgresDatabases } from '../postgres-databases.ts'
import { openCluster } from './cluster.ts'

/** Creating the tables takes seconds, so they are shared: no two installations have a number of a domain or an event in common. */
const DOMAINS_EACH = 100_000
const EVENTS_EACH = 1_000_000_000
/** Then the next database: each page looks into the files of all of them. */
const INSTALLATIONS_EACH = 40

export interface ClickhouseInstallations extends AsyncDisposable {
  /** Without tenants and events. */
  open(options: { readonly clock: Clock; readonly serviceMessageIdField: string }): Promise<Storage>
}

export async function startClickhouseInstallations(): Promise<ClickhouseInstallations> {
  const resources = new AsyncDisposableStack()
  try {
    const postgres = resources.use(await PostgresDatabases.start())
    const cluster = resources.use(await openCluster())
    // Tied to none of them.
    let clickhouse = cluster.createMigrated()
    let opened = 0
    return {
      async open(options) {
        const place = opened++ % INSTALLATIONS_EACH
        if (place === 0 && opened > 1) clickhouse = cluster.createMigrated()
        const postgresUrl = await postgres.create()
        await setNumbers(postgresUrl, place)
        return openClickhouseStorage({ postgresUrl, clickhouse: await clickhouse, ...options })
      },
      [Symbol.asyncDispose]: () => resources.disposeAsync(),
    }
  } catch (error) {
    await resources.disposeAsync()
    throw error
  }
}

async function setNumbers(postgresUrl: string, place: number): Promise<void> {
  const db = new Postgres(postgresUrl)
  try {
    await db.run(`ALTER TABLE domain ALTER COLUMN number RESTART WITH ${place * DOMAINS_EACH + 1}`)
    await db.run(
      'INSERT INTO arrival (id, next) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET next = excluded.next',
      place * EVENTS_EACH + 1,
    )
  } finally {
    await db.close()
  }
}
