/** The other side of the comparison: the same events in PostgreSQL, loaded with COPY. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { COPY_COLUMNS } from './peer-event.ts'
import { connectPlanner, PeerLog } from './peer-log.ts'
import { FILL_COUNTS } from './peer-queries.ts'
import type { Postgres } from './postgres-process.ts'

export class Peer {
  readonly postgres: Postgres
  /** Asked in this process. */
  readonly log: PeerLog
  readonly #client: pg.Client
  readonly #loaders: readonly pg.Client[]
  readonly #domainIds: ReadonlyMap<string, number>

  private constructor(
    postgres: Postgres,
    log: PeerLog,
    loaders: readonly [pg.Client, ...pg.Client[]],
    domainIds: ReadonlyMap<string, number>,
  ) {
    this.postgres = postgres
    this.log = log
    this.#client = loaders[0]
    this.#loaders = loaders
    this.#domainIds = domainIds
  }

  /** `loaders` connections share the loading. */
  static async open(postgres: Postgres, domainIds: ReadonlyMap<string, number>, loaders: number): Promise<Peer> {
    const client = await postgres.connect()
    await client.query(readSql('schema.sql'))
    const log = new PeerLog(client, await connectPlanner(() => postgres.connect()), domainIds)
    const others = await Promise.all(Array.from({ length: loaders - 1 }, () => postgres.connect()))
    return new Peer(postgres, log, [client, ...others], domainIds)
  }

  /** Durable when it resolves: each batch is a transaction of its own. */
  async load(batches: readonly Buffer[]): Promise<void> {
    const left = batches.values()
    await Promise.all(this.#loaders.map((loader) => copyAll(loader, left)))
  }

  async analyze(): Promise<void> {
    await this.#client.query('ANALYZE event')
  }

  /** Maintenance after the last event: the counts are filled, the table is vacuumed, the trigram index is merged. */
  async settle(): Promise<void> {
    await this.#client.query(FILL_COUNTS, [[...this.#domainIds.values()], [...this.#domainIds.keys()]])
    await this.#client.query('VACUUM (ANALYZE) event')
    await this.#client.query('VACUUM (ANALYZE) domain_count')
    await this.#client.query('CHECKPOINT')
  }

  /** Builds what questions over many domains need. */
  async indexForManyDomains(): Promise<void> {
    await this.#client.query(readSql('many-domains.sql'))
    await this.#client.query('VACUUM (ANALYZE) event')
    await this.#client.query('VACUUM (ANALYZE) event_per_hour')
    await this.#client.query('CHECKPOINT')
  }

  /** The table and all of its indexes. */
  async sizeBytes(): Promise<number> {
    const sql = "SELECT pg_total_relation_size('event') AS bytes"
    const { rows } = await this.#client.query<{ bytes: string }>(sql)
    return Number(rows[0]?.bytes)
  }

  /** Stops PostgreSQL, too. */
  async close(): Promise<void> {
    await Promise.all([this.log.close(), ...this.#loaders.slice(1).map((client) => client.end())])
    this.postgres.stop()
  }
}

function readSql(name: string): string {
  return readFileSync(join(import.meta.dirname, name), 'utf8')
}

async function copyAll(client: pg.Client, batches: Iterable<Buffer>): Promise<void> {
  for (const batch of batches) {
    const stream = client.query(copyFrom(`COPY event (${COPY_COLUMNS}) FROM STDIN`))
    stream.end(batch)
    await finished(stream)
  }
}
