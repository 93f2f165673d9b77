/**
 * Tables with the same path in ZooKeeper or Keeper are replicas of each other, whatever servers they are on. Those of another installation
 * must not become replicas of ours: domains have the same numbers there, so each would read the mail of the other.
 */
import { AppError } from '../../../lib/app-error.ts'
import { literal } from '../literals.ts'
import type { ClickHouse } from '../server/clickhouse.ts'
import { Members } from '../upkeep/members.ts'
import { pathOf, TABLES } from './tables.ts'

// Without the database, which may not exist.
const ANYWHERE = { isStrict: false, settings: { database: 'system' } }

/** To be called before tables are created. Throws AppError `conflict`; `storage_unavailable` unless all members answer. */
export async function requireOwnPaths(clickHouse: ClickHouse): Promise<void> {
  const { database, cluster } = clickHouse
  if (cluster === undefined) return
  const members = await Members.list(clickHouse)
  const ask = async (...[table, column, where]: Parameters<typeof members.ask>) =>
    new Set([...(await members.ask(table, column, where, 'all')).values()].flat(2))
  const own = await ask('replicas', 'zookeeper_path', '1')
  const shards = await ask('macros', 'substitution', "macro = 'shard'")
  const nodes = new Nodes(clickHouse)
  for (const path of [...shards].flatMap((shard) => TABLES.map((table) => pathOf(table, shard, database)))) {
    if (own.has(path)) continue
    const replicas = await nodes.list(`${path}/replicas`)
    if (replicas.length > 0) throw foreignReplicas(path, replicas, database)
  }
}

/** What is in ZooKeeper. Each node is asked for once: ClickHouse reads everything in it, and there may be thousands of tables. */
class Nodes {
  readonly #clickHouse: ClickHouse
  readonly #known = new Map<string, readonly string[]>()

  constructor(clickHouse: ClickHouse) {
    this.#clickHouse = clickHouse
  }

  /** Names below a path, which need not exist: old versions fail if one is asked for that does not. */
  async list(path: string): Promise<readonly string[]> {
    let node = ''
    for (const name of path.split('/').slice(1)) {
      if (!(await this.#read(node)).includes(name)) return []
      node += `/${name}`
    }
    return this.#read(node)
  }

  async #read(node: string): Promise<readonly string[]> {
    const known = this.#known.get(node)
    if (known) return known
    const sql = `SELECT name FROM system.zookeeper WHERE path = ${literal(node || '/')}`
    const names = (await this.#clickHouse.select(sql, ANYWHERE)).flat()
    this.#known.set(node, names)
    return names
  }
}

function foreignReplicas(path: string, replicas: readonly string[], database: string): AppError {
  return new AppError(
    'conflict',
    `ZooKeeper or Keeper already has replicas of ${path} (${replicas.join(', ')}), but no server of this cluster has that table. If they belong to another installation, use another database name (ENVELOG_CLICKHOUSE_DATABASE is ${database}): with the same name the two would share their events. If their servers are lost for good, remove each replica: SYSTEM DROP REPLICA '…' FROM ZKPATH '${path}'.`,
  )
}
