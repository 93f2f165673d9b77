/**
 * Whether the tables are those of the configuration. A server that took a part of a cluster for all of it, or one cluster for another, would
 * acknowledge events that the other servers never find.
 */
import { AppError } from '../../../lib/app-error.ts'
import type { ClickHouse } from '../server/clickhouse.ts'
import { isDistributedName } from './schema-state.ts'
import { pathOf } from './tables.ts'

// Without the database, which may not exist.
const ANYWHERE = { isStrict: false, settings: { database: 'system' } }
const REPLICATED = /^(?:Replicated|Shared)\w*MergeTree/
/** Quoted in one way or another, by version. */
const CLUSTER_OF_DISTRIBUTED = /^Distributed\(['`]?([\w-]+)/

/** Throws AppError `conflict`. A server without tables is accepted. */
export async function requireSameCluster(clickHouse: ClickHouse): Promise<void> {
  const { database } = clickHouse
  const rows = await clickHouse.select(
    `SELECT name, engine_full FROM system.tables WHERE database = '${database}' AND (name = 'event' OR engine = 'Distributed')`,
    ANYWHERE,
  )
  for (const [name = '', engine = ''] of rows) {
    // Others are the operator's.
    if (name !== 'event' && !isDistributedName(name)) continue
    const difference = describeDifference(engine, clickHouse)
    if (difference !== undefined)
      throw new AppError('conflict', `The tables of the ClickHouse database ${database} ${difference}`)
  }
}

function describeDifference(engine: string, { database, cluster }: ClickHouse): string | undefined {
  const owner = CLUSTER_OF_DISTRIBUTED.exec(engine)?.[1]
  if (cluster === undefined) {
    // A hosted service may replicate the tables of a single server by itself, with paths of its own.
    if (owner === undefined && !engine.includes(pathOf('event', '{shard}', database))) return undefined
    return 'belong to a cluster, but ENVELOG_CLICKHOUSE_CLUSTER is not set. Set it to the name of the cluster: without it, events would be stored where other servers do not find them.'
  }
  if (owner === undefined) {
    if (REPLICATED.test(engine)) return undefined
    return `are those of a single server, but ENVELOG_CLICKHOUSE_CLUSTER is ${cluster}. Unset it, or use another database (ENVELOG_CLICKHOUSE_DATABASE).`
  }
  if (owner === cluster) return undefined
  return `belong to the cluster ${owner}, but ENVELOG_CLICKHOUSE_CLUSTER is ${cluster}. Set it to ${owner}, or use another database (ENVELOG_CLICKHOUSE_DATABASE).`
}
