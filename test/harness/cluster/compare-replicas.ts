/** Compares the replicas of each shard, each asked for its own rows. */
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { ClickHouseCluster } from '../storage/clickhouse-cluster.ts'

const PATIENCE_MS = 60_000

/** Numbers of rows, of different events and a sum over all of them, by table and domain. Merging does not change any of it. */
const QUERIES: readonly string[] = [
  `SELECT 'event', domain, count(), uniqExact(arrival), uniqExact(domain, timestamp, key), sum(cityHash64(arrival, key, id, type)) FROM event`,
  `SELECT 'event_hour', domain, sum(n), uniqExact(hour), sum(n * cityHash64(hour, type, provider) % 1000003), 0 FROM event_hour`,
]

/** Returns the number of events. Fails if replicas differ, or if an event is there twice. */
export async function compareReplicas({ servers }: ClickHouseCluster, database: string): Promise<number> {
  let events = 0
  for (const shard of new Set(servers.map((server) => server.shard))) {
    const replicas = servers.filter((server) => server.shard === shard)
    const states = await untilEqual(
      () => Promise.all(replicas.map(({ url }) => describe(url, database))),
      async () => (await Promise.all(replicas.map(({ url }) => explainReplica(url, database)))).join('\n'),
    )
    for (const [table, , rows, arrivals, keys] of states[0] ?? []) {
      if (table !== 'event') continue
      assert.deepEqual([rows, arrivals], [keys, keys], 'an event is stored twice')
      events += Number(rows)
    }
  }
  return events
}

/** A replica that was away fetches what it missed. `explain` tells where a difference comes from. */
async function untilEqual<T>(read: () => Promise<readonly T[]>, explain: () => Promise<string>): Promise<readonly T[]> {
  for (const end = Date.now() + PATIENCE_MS; ; await delay(500)) {
    const states = await read()
    if (new Set(states.map((state) => JSON.stringify(state))).size === 1) return states
    if (Date.now() > end) assert.deepEqual(states.slice(1), states.slice(0, -1), `replicas differ. ${await explain()}`)
  }
}

/** What a replica has or has not in comparison with ZooKeeper: the part of an insert that lost its session is only local. */
async function explainReplica(url: string, database: string): Promise<string> {
  const replicas = await ask(
    url,
    database,
    `SELECT table, replica_path FROM system.replicas WHERE database = '${database}'`,
  )
  const lines = await Promise.all(
    replicas.map(async ([table, path]) => {
      const known = `SELECT name FROM system.zookeeper WHERE path = '${path}/parts'`
      const local = `SELECT name FROM system.parts WHERE database = '${database}' AND table = '${table}' AND active`
      const details = 'name, toString(rows), toString(modification_time), toString(now())'
      return [
        ...(await ask(
          url,
          database,
          `SELECT 'only here', table, ${details} FROM system.parts WHERE database = '${database}' AND table = '${table}' AND active AND name NOT IN (${known})`,
        )),
        ...(await ask(
          url,
          database,
          `SELECT 'missing', '${table}', name FROM system.zookeeper WHERE path = '${path}/parts' AND name NOT IN (${local})`,
        )),
      ]
    }),
  )
  const queue = await ask(
    url,
    database,
    `SELECT 'to do', table, type, new_part_name, last_exception FROM system.replication_queue WHERE database = '${database}'`,
  )
  return [url, ...[...lines.flat(), ...queue].map((line) => line.join(' '))].join('\n')
}

async function describe(url: string, database: string): Promise<readonly (readonly string[])[]> {
  const rows = await Promise.all(QUERIES.map((query) => ask(url, database, `${query} GROUP BY domain ORDER BY domain`)))
  return rows.flat()
}

async function ask(url: string, database: string, query: string): Promise<readonly (readonly string[])[]> {
  const body = `${query} FORMAT TabSeparated`
  const response = await fetch(`${url}/?database=${database}`, { method: 'POST', body })
  const text = await response.text()
  assert.equal(response.status, 200, text)
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t'))
}
