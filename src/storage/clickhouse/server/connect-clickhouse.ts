/** ClickHouse behind one or several addresses: any of them can take any request. */
import { AppError } from '../../../lib/app-error.ts'
import { hasOwnShardView } from '../schema/own-shard-view.ts'
import { requireSameCluster } from '../schema/same-cluster.ts'
import { findSchemaState } from '../schema/schema-state.ts'
import { Address } from './address.ts'
import { Addresses } from './addresses.ts'
import type { ClickHouse } from './clickhouse.ts'
import { toThrown } from './clickhouse-failure.ts'
import { CONNECTIONS, COPIES, ConnectedClickHouse, type DatabaseName } from './connected-clickhouse.ts'
import { isOlder, parseVersion, type Version } from './features.ts'
import { parseTabSeparated } from './tab-separated.ts'

export interface ClickHouseOptions extends DatabaseName {
  /** http or https, of one or several servers of the cluster, or of a load balancer. */
  readonly urls: readonly string[]
  readonly user: string
  readonly password: string
}

const CONNECT_TIMEOUT_MS = 5000
const NAME = /^[\w-]{1,64}$/

/** Throws AppError `storage_unavailable` if no server answers, `conflict` if it does not know the cluster or the tables are not the cluster's. */
export async function connectClickHouse(options: ClickHouseOptions): Promise<ClickHouse> {
  const { urls, database, cluster } = options
  for (const name of [database, cluster ?? '_']) {
    if (!NAME.test(name)) throw new AppError('invalid_request', `Not a valid name of a database or cluster: ${name}`)
  }
  const addresses = new Addresses(urls.map((url) => new Address({ ...options, url, connections: CONNECTIONS })))
  try {
    const version = await findVersion(addresses)
    const layout = cluster === undefined ? SINGLE : await findLayout(addresses, cluster)
    requireCopies(layout, cluster)
    const { replicas } = layout
    const found = { version, replicas, configuredShards: replicas.length }
    const unmade = new ConnectedClickHouse(options, addresses, {
      ...found,
      shards: found.configuredShards,
      isSettled: false,
    })
    await requireSameCluster(unmade)
    const shards = (await findSchemaState(unmade))?.shards
    if (shards === undefined) return unmade
    const isSettled = layout.isEven && (await hasOwnShardView(unmade, shards))
    return new ConnectedClickHouse(options, addresses, { ...found, shards, isSettled })
  } catch (error) {
    addresses.close()
    throw error
  }
}

/** With weights the shard of a row is not known, so the same number of copies must be possible on all shards. */
function requireCopies({ isEven, replicas }: Layout, cluster: string | undefined): void {
  if (isEven || Math.min(...replicas) >= COPIES || Math.max(...replicas) < COPIES) return
  throw new AppError(
    'conflict',
    `The shards of the ClickHouse cluster ${cluster} have weights, and only some of them have several replicas: events could be acknowledged with one copy instead of two. Remove the weights, or give each shard at least two replicas.`,
  )
}

/** The oldest: settings that one of them does not know are sent to none. */
async function findVersion(addresses: Addresses): Promise<Version> {
  const answers = await addresses.all({
    sql: 'SELECT version() FORMAT TabSeparated',
    settings: {},
    signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS),
  })
  return answers.map(parseVersion).reduce((a, b) => (isOlder(a, b) ? a : b))
}

interface Layout {
  /** Of each shard. */
  readonly replicas: readonly number[]
  /** Shard number n gets rows with the remainder n. With weights, other shards get them. */
  readonly isEven: boolean
}

/** There is no other shard to tell it from. */
const SINGLE: Layout = { replicas: [1], isEven: false }

async function findLayout(addresses: Addresses, cluster: string): Promise<Layout> {
  const sql = `SELECT count(), max(shard_weight) FROM system.clusters WHERE cluster = '${cluster}' GROUP BY shard_num ORDER BY shard_num FORMAT TabSeparated`
  const signal = AbortSignal.timeout(CONNECT_TIMEOUT_MS)
  const rows = await addresses.any({ sql, settings: {}, signal }).then(parseTabSeparated, (error) => {
    throw toThrown(error)
  })
  if (rows.length > 0) {
    return { replicas: rows.map(([count]) => Number(count)), isEven: rows.every(([, weight]) => weight === '1') }
  }
  throw new AppError('conflict', `ClickHouse has no cluster ${cluster} in its configuration (remote_servers).`)
}
