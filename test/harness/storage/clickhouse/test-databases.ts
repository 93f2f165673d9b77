/**
 * Databases of tests. Statements of the schema are sent to each server of the cluster instead of ON CLUSTER, which takes seconds for all
 * of them. Databases are dropped after use: each costs the servers and ZooKeeper time as long as it exists.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { migrateClickHouse } from '../../../../src/storage/clickhouse/schema/migrate-clickhouse.ts'
import { onCluster } from '../../../../src/storage/clickhouse/schema/tables.ts'
import type { ClickHouse } from '../../../../src/storage/clickhouse/server/clickhouse.ts'
import {
  type ClickHouseOptions,
  connectClickHouse,
} from '../../../../src/storage/clickhouse/server/connect-clickhouse.ts'
import { PASSWORD, USER } from './server.ts'

const PATIENCE_MS = 10_000
const POLL_MS = 50

export class TestDatabases {
  readonly #urls: readonly string[]
  readonly #cluster: string | undefined
  readonly #names = new Set<string>()

  constructor(urls: readonly string[], cluster: string | undefined) {
    this.#urls = urls
    this.#cluster = cluster
  }

  /** Options for connectClickHouse, with the addresses of all servers and a new, empty database. */
  async create(): Promise<ClickHouseOptions> {
    const database = `test_${randomBytes(6).toString('hex')}`
    this.#names.add(database)
    await this.#command(`CREATE DATABASE ${database}`)
    const cluster = this.#cluster !== undefined && { cluster: this.#cluster }
    return { urls: this.#urls, user: USER, password: PASSWORD, ...cluster, database }
  }

  /** A new database with all tables. */
  async createMigrated(): Promise<ClickHouseOptions> {
    const options = await this.create()
    const connection = await connectClickHouse(options)
    try {
      await migrateClickHouse(this.#onEachServer(connection))
    } finally {
      await connection.close()
    }
    return options
  }

  async drop(...names: readonly string[]): Promise<void> {
    for (const name of names) {
      this.#names.delete(name)
      await this.#untilUnused(name)
      // A server that has crashed is noticed by the tests that follow.
      await this.#command(`DROP DATABASE IF EXISTS ${name}`).catch(() => undefined)
    }
  }

  dropAll(): Promise<void> {
    return this.drop(...this.#names)
  }

  /** A statement ON CLUSTER may go on after its sender has given up; a table that is dropped meanwhile can block all later ones. */
  async #untilUnused(name: string): Promise<void> {
    const query = `SELECT count() FROM system.processes WHERE position(query, '${name}') > 0 AND position(query, 'system.processes') = 0`
    const isUsed = async (url: string) => {
      const response = await fetch(url, { method: 'POST', body: query, signal: AbortSignal.timeout(PATIENCE_MS) })
      return (await response.text()).trim() !== '0'
    }
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await delay(POLL_MS)) {
      const used = await Promise.all(this.#urls.map((url) => isUsed(url).catch(() => false)))
      if (!used.includes(true)) return
    }
  }

  #onEachServer(connection: ClickHouse): ClickHouse {
    const { version, database, cluster, shards, configuredShards, figures } = connection
    return {
      version,
      database,
      shards,
      configuredShards,
      figures,
      ...(cluster !== undefined && { cluster }),
      readFrom: (table) => connection.readFrom(table),
      select: (sql, options) => connection.select(sql, options),
      selectOf: (domains, toSql, options) => connection.selectOf(domains, toSql, options),
      divide: (domains) => connection.divide(domains),
      insert: (insertion) => connection.insert(insertion),
      expectReplicas: (replicas) => connection.expectReplicas(replicas),
      command: (sql) => this.#command(sql.replace(onCluster(cluster), '')),
      close: () => connection.close(),
    }
  }

  async #command(sql: string): Promise<void> {
    await Promise.all(
      this.#urls.map(async (url) => {
        const response = await fetch(url, { method: 'POST', body: sql })
        const text = await response.text()
        if (!response.ok) throw new Error(`${sql}: ${text}`)
      }),
    )
  }
}
