/**
 * Tables with the same path in ZooKeeper or Keeper are replicas of each other, whatever servers they are on. Those of another installation
 * must not become replicas of ours: domains have the same numbers there, so each would read the mail of the other.
 */
import { AppError } from '../../../lib/app-error.ts'
import { literal } from '../literals.ts'
import type { ClickHouse } from '../server/clickhouse.ts'
import { Members } from '../upkeep/members.ts'
import { pathOf, REPLICATION_ROOT, TABLES } from './tables.ts'

// Without the database, which may not exist.
const ANYWHERE = { isStrict: false, settings: { database: 'system' } }

/** To be called before tables are created. Throws AppError `conflict`; `storage_unavailable` unless all members answer. */
export async function requireOwnPaths(clickHouse: ClickHouse): Promise<void> {
  const { database, cluster } = clickHouse
  if (cluster === undefined) return
  const found = await (await Members.list(clickHouse)).ask('replicas', 'zookeeper_path', '1', 'all')
  const own = new Set([...found.values()].flat(2))
  for (const shard of await listNodes(clickHouse, '/', REPLICATION_ROOT)) {
    for (const path of TABLES.map((table) => pathOf(table, shard, database))) {
      if (own.has(path)) continue
      const replicas = await listNodes(clickHouse, REPLICATION_ROOT, `${path}/replicas`)
      if (replicas.length > 0) throw foreignReplicas(path, replicas, database)
    }
  }
}

/** Names below a path, which need not exist. `from` is above it, and exists if anything below it does: old versions fail otherwise. */
async function listNodes(clickHouse: ClickHouse, from: string, path: string): Promise<readonly string[]> {
  const list = async (node: string) =>
    (await clickHouse.select(`SELECT name FROM system.zookeeper WHERE path = ${literal(node)}`, ANYWHERE)).flat()
  let node = from
  let names = await list(node)
  for (const name of path.slice(from.length).split('/').filter(Boolean)) {
    if (!names.includes(name)) return []
    node = `${node === '/' ? '' : node}/${name}`
    names = await list(node)
  }
  return names
}

function foreignReplicas(path: string, replicas: readonly string[], database: string): AppError {
  return new AppError(
    'conflict',
    `ZooKeeper or Keeper already has replicas of ${path} (${replicas.join(', ')}), but no server of this cluster has that table. If they belong to another installation, use another database name (ENVELOG_CLICKHOUSE_DATABASE is ${database}): with the same name the two would share their events. If their servers are lost for good, remove each replica: SYSTEM DROP REPLICA '…' FROM ZKPATH '${path}'.`,
  )
}
