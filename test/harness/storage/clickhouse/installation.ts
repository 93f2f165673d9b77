/** Storages of several servers for suites: each has a PostgreSQL database of its own; many have one ClickHouse database. */
import type { Clock } from '../../../../src/lib/clock.ts'
import { openClickhouseStorage } from '../../../../src/storage/clickhouse/open-clickhouse-storage.ts'
import type { ClickHouseOptions } from '../../../../src/storage/clickhouse/server/connect-clickhouse.ts'
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
    // It would visit all these databases in turn, of which none lives for long.
    const postgres = resources.use(await PostgresDatabases.start({ autovacuum: 'off' }))
    const cluster = resources.use(await openCluster())
    // Tied to none of them.
    const databases: Promise<ClickHouseOptions>[] = []
    let opened = 0
    return {
      async open(options) {
        const place = opened++
        const group = Math.floor(place / INSTALLATIONS_EACH)
        databases[group] ??= cluster.createMigrated()
        const clickhouse = await databases[group]
        const postgresUrl = await postgres.create()
        await setNumbers(postgresUrl, place)
        return openClickhouseStorage({ postgresUrl, clickhouse, ...options })
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
