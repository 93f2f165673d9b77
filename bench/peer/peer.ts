/** The other side of the comparison: the same events in PostgreSQL, loaded with COPY. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import type { Postgres } from '../../test/harness/storage/postgres-process.ts'
import { COPY_COLUMNS } from './peer-event.ts'
import { connectPlanner, PeerLog } from './peer-log.ts'
import { FILL_COUNTS } from './peer-queries.ts'

export type Peer = Awaited<ReturnType<typeof openPeer>>

/** `loaders` connections share the loading. */
export async function openPeer(postgres: Postgres, domainIds: ReadonlyMap<string, number>, loaders: number) {
  const client = await postgres.connect()
  await client.query(readSql('schema.sql'))
  const log = new PeerLog(client, await connectPlanner(() => postgres.connect()), domainIds)
  const others = await Promise.all(Array.from({ length: loaders - 1 }, () => postgres.connect()))
  const run = async (...statements: readonly string[]) => {
    for (const statement of statements) await client.query(statement)
  }
  return {
    postgres,
    /** Asked in this process. */
    log,

    /** Durable when it resolves: each batch is a transaction of its own. */
    async load(batches: readonly Buffer[]): Promise<void> {
      const left = batches.values()
      await Promise.all([client, ...others].map((loader) => copyAll(loader, left)))
    },

    analyze: () => run('ANALYZE event'),

    /** Maintenance after the last event: the counts are filled, the table is vacuumed, the trigram index is merged. */
    async settle(): Promise<void> {
      await client.query(FILL_COUNTS, [[...domainIds.values()], [...domainIds.keys()]])
      await run('VACUUM (ANALYZE) event', 'VACUUM (ANALYZE) domain_count', 'CHECKPOINT')
    },

    /** Creates the indexes and counts for questions over many domains. */
    indexForManyDomains: () =>
      run(readSql('many-domains.sql'), 'VACUUM (ANALYZE) event', 'VACUUM (ANALYZE) event_per_hour', 'CHECKPOINT'),

    /** The table and all of its indexes. */
    async sizeBytes(): Promise<number> {
      const sql = "SELECT pg_total_relation_size('event') AS bytes"
      const { rows } = await client.query<{ bytes: string }>(sql)
      return Number(rows[0]?.bytes)
    },

    /** Stops PostgreSQL, too. */
    async close(): Promise<void> {
      await Promise.all([log.close(), ...others.map((other) => other.end())])
      postgres.stop()
    },
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
