/** A PostgreSQL server of the test's own, and an empty, migrated database for each test. */
import { randomBytes } from 'node:crypto'
import {
  migrateControl,
  openControl,
  type PostgresControl,
} from '../../../src/storage/postgres/control/open-control.ts'
import { type Postgres, startPostgres } from './postgres-process.ts'

/** The data is thrown away: nothing has to reach the disk. */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '200',
  jit: 'off',
}
/** Migrated once, and copied for each test. */
const TEMPLATE = 'template_of_tests'

export class PostgresDatabases implements AsyncDisposable {
  readonly server: Postgres
  readonly #resources: AsyncDisposableStack
  #shared: string | undefined

  private constructor(server: Postgres, resources: AsyncDisposableStack) {
    this.server = server
    this.#resources = resources
  }

  static async start(settings: Readonly<Record<string, string>> = {}): Promise<PostgresDatabases> {
    const resources = new AsyncDisposableStack()
    const server = await startPostgres({ settings: { ...SETTINGS, ...settings } }, resources)
    const databases = new PostgresDatabases(server, resources)
    await databases.#execute(`CREATE DATABASE ${TEMPLATE}`)
    await migrateControl(server.url(TEMPLATE))
    return databases
  }

  /** Returns the address of a new database. */
  async create({ isMigrated = true } = {}): Promise<string> {
    const name = `test_${randomBytes(6).toString('hex')}`
    await this.#execute(`CREATE DATABASE ${name} TEMPLATE ${isMigrated ? TEMPLATE : 'template0'}`)
    return this.server.url(name)
  }

  /** On one database that is emptied first: a new one takes hundreds of milliseconds. */
  async open(quarantineBytes?: number): Promise<PostgresControl> {
    this.#shared ??= await this.create()
    const control = await openControl({ url: this.#shared, ...(quarantineBytes !== undefined && { quarantineBytes }) })
    const tables = await control.db.all<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'migration'",
    )
    await control.db.run(`TRUNCATE ${tables.map(({ name }) => name).join(', ')} RESTART IDENTITY CASCADE`)
    return control
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#resources.disposeAsync()
  }

  async #execute(sql: string): Promise<void> {
    const client = await this.server.connect()
    try {
      await client.query(sql)
    } finally {
      await client.end()
    }
  }
}
