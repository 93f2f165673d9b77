/** Compares the replicas of each shard, each asked for its own rows. */
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { ClickHouseCluster } from '../storage/clickhouse/cluster.ts'
import { ask, type Row } from './ask-replica.ts'
import { dropStrayParts } from './stray-parts.ts'

const PATIENCE_MS = 180_000

/** Numbers of rows, of different events and a sum over all of them, by table and domain. Merging does not change any of it. */
const QUERIES: readonly string[] = [
  `SELECT 'event', domain, count(), uniqExact(arrival), uniqExact(domain, timestamp, key), sum(cityHash64(arrival, key, id, type)) FROM event`,
  `SELECT 'event_hour', domain, sum(n), uniqExact(hour), sum(n * cityHash64(hour, type, provider) % 1000003), 0 FROM event_hour`,
]

/** Returns the number of events. Fails if replicas differ, or if an event is there twice. */
export async function compareReplicas(
  { servers }: ClickHouseCluster,
  database: string,
  report: (text: string) => void,
): Promise<number> {
  for (const { url } of servers) {
    const tables = await dropStrayParts(url, database)
    if (tables.length > 0) report(`${url} had parts that ZooKeeper does not know, of ${tables.join(', ')}`)
  }
  let events = 0
  for (const shard of new Set(servers.map((server) => server.shard))) {
    const replicas = servers.filter((server) => server.shard === shard)
    const states = await untilEqual(() => Promise.all(replicas.map(({ url }) => describe(url, database))))
    for (const [table, , rows, arrivals, keys] of states[0] ?? []) {
      if (table !== 'event') continue
      assert.deepEqual([rows, arrivals], [keys, keys], 'an event is stored twice')
      events += Number(rows)
    }
  }
  return events
}

/** A replica that was away fetches what it missed. */
async function untilEqual<T>(read: () => Promise<readonly T[]>): Promise<readonly T[]> {
  for (const end = Date.now() + PATIENCE_MS; ; await delay(500)) {
    const states = await read()
    if (new Set(states.map((state) => JSON.stringify(state))).size === 1) return states
    if (Date.now() > end) assert.deepEqual(states.slice(1), states.slice(0, -1), 'replicas differ')
  }
}

async function describe(url: string, database: string): Promise<readonly Row[]> {
  const rows = await Promise.all(QUERIES.map((query) => ask(url, database, `${query} GROUP BY domain ORDER BY domain`)))
  return rows.flat()
}
