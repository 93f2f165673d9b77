/** A real ClickHouse cluster from the system's packages: ZooKeeper and replicated shards, in a temporary folder and on loopback. */
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClickHouse } from '../../../../src/storage/clickhouse/server/clickhouse.ts'
import {
  type ClickHouseOptions,
  connectClickHouse,
} from '../../../../src/storage/clickhouse/server/connect-clickhouse.ts'
import { describeServers } from './cluster-state.ts'
import type { MemberProcess } from './member-process.ts'
import { CLUSTER_NAME, makeServer, type ServerPorts, writeConfig, type ZooKeeperAddress } from './server.ts'
import { TestDatabases } from './test-databases.ts'
import { makeZooKeeper } from './zookeeper.ts'

/** Below the ports that the system gives to outgoing connections: a member that restarts finds its port free. */
const LOWEST_PORT = 12_000
const HIGHEST_PORT = 32_000
const START_ATTEMPTS = 3
/** Short, so that tests see soon what happens when a member is away. */
const SESSION_MS = 4000
/**
 * Where nobody stops a member, only a loaded machine can end a session; and a Debian server whose session ends while it executes a statement
 * ON CLUSTER may never execute another.
 */
const STEADY_SESSION_MS = 60_000

export interface ClusterLayout {
  readonly shards: number
  readonly replicas: number
  /** Which servers are in the configuration at first, by shard and as indexes of `servers`. Default: all. */
  readonly configured?: Members
}

/** By shard, as indexes of `servers`. */
export type Members = readonly (readonly number[])[]

export interface ClusterServer {
  readonly process: MemberProcess
  readonly url: string
  readonly shard: number
  readonly replica: number
  /** Writes another list of members into its configuration. */
  configure(members: Members): void
}

/** What test files of one run can share: each has databases of its own, which are dropped with it. */
export interface SharedCluster extends AsyncDisposable {
  readonly folder: string
  /** In order of shards, then replicas. */
  readonly servers: readonly Omit<ClusterServer, 'process' | 'configure'>[]
  /** Options for connectClickHouse, with the addresses of all servers and a new, empty database. */
  createDatabase(): Promise<ClickHouseOptions>
  /** The same with all tables. */
  createMigrated(): Promise<ClickHouseOptions>
  /** For a database that is no longer needed before the end. */
  dropDatabase(name: string): Promise<void>
  /** A connection to a new database with all tables. */
  openDatabase(): Promise<ClickHouse>
}

const DEFAULT_LAYOUT: ClusterLayout = { shards: 2, replicas: 2 }

type ClusterParts = Pick<SharedCluster, 'folder' | 'servers'>

export interface ClickHouseCluster extends SharedCluster {
  /** Absent for a single server without replication. */
  readonly zooKeeper?: MemberProcess
  readonly servers: readonly ClusterServer[]
}

/** Where the cluster of this run of all tests is, if there is one. */
const SHARED = 'ENVELOG_TEST_CLUSTER'

/** Two shards with two replicas, for tests that stop no member: that of the run, or one of the test's own. */
export async function openCluster(): Promise<SharedCluster> {
  const shared = process.env[SHARED]
  if (shared === undefined) return startSteadyCluster()
  const { databases, ...cluster } = withDatabases(JSON.parse(shared) as ClusterParts, CLUSTER_NAME)
  return { ...cluster, [Symbol.asyncDispose]: () => databases.dropAll() }
}

/** For the processes that are started from now on. */
export async function shareCluster(): Promise<AsyncDisposable & { describe(): Promise<string> }> {
  const cluster = await startSteadyCluster()
  const servers = cluster.servers.map(({ url, shard, replica }) => ({ url, shard, replica }))
  process.env[SHARED] = JSON.stringify({ folder: cluster.folder, servers })
  const urls = servers.map(({ url }) => url)
  return {
    describe: () => describeServers(cluster.folder, urls),
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  }
}

/**
 * Two shards with two replicas of the test's own, for tests that stop no member and execute statements ON CLUSTER: each server executes
 * these one after another, so those of other tests would hold them up.
 */
export function startSteadyCluster(): Promise<ClickHouseCluster> {
  return start(DEFAULT_LAYOUT, STEADY_SESSION_MS)
}

/** Two shards with two replicas by default. */
export function startCluster(layout: ClusterLayout = DEFAULT_LAYOUT): Promise<ClickHouseCluster> {
  return start(layout, SESSION_MS)
}

export function startSingleServer(): Promise<ClickHouseCluster> {
  return start({ shards: 1, replicas: 1 })
}

/** With a ZooKeeper if `sessionMs` is given. */
async function start(layout: ClusterLayout, sessionMs?: number): Promise<ClickHouseCluster> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce(layout, sessionMs)
    } catch (error) {
      // A port that was free may have been taken meanwhile.
      if (attempt === START_ATTEMPTS) throw error
    }
  }
}

async function startOnce(layout: ClusterLayout, sessionMs: number | undefined): Promise<ClickHouseCluster> {
  const resources = new AsyncDisposableStack()
  try {
    const folder = mkdtempSync(join(tmpdir(), 'envelog-clickhouse-'))
    resources.defer(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
    const address = sessionMs === undefined ? undefined : { port: await findPort(), sessionMs }
    const servers = await makeServers(layout, folder, address)
    const zooKeeper = address && makeZooKeeper(join(folder, 'zookeeper'), address.port)
    const members = [...servers.map(({ process }) => process), ...(zooKeeper ? [zooKeeper] : [])]
    // The data is thrown away: nothing has to be written at the end.
    resources.defer(async () => void (await Promise.all(members.map((member) => member.kill()))))
    if (zooKeeper) await zooKeeper.start()
    await Promise.all(servers.map(({ process }) => process.start()))
    const cluster = withDatabases({ folder, servers }, zooKeeper && CLUSTER_NAME, layout.configured?.flat())
    return { ...cluster, ...(zooKeeper && { zooKeeper }), [Symbol.asyncDispose]: () => resources.disposeAsync() }
  } catch (error) {
    await resources.disposeAsync()
    throw error
  }
}

/** Databases for a cluster that is started. */
function withDatabases<Cluster extends ClusterParts>(
  cluster: Cluster,
  name: string | undefined,
  configured = [...cluster.servers.keys()],
) {
  const urls = configured.flatMap((index) => cluster.servers[index]?.url ?? [])
  const databases = new TestDatabases(urls, name)
  return {
    ...cluster,
    databases,
    createDatabase: () => databases.create(),
    createMigrated: () => databases.createMigrated(),
    dropDatabase: (database: string) => databases.drop(database),
    openDatabase: async () => connectClickHouse(await databases.createMigrated()),
  }
}

async function makeServers(
  { shards, replicas, configured }: ClusterLayout,
  folder: string,
  zooKeeper: ZooKeeperAddress | undefined,
): Promise<readonly ClusterServer[]> {
  const numbers = Array.from({ length: shards * replicas }, (_, index) => index)
  const ports: ServerPorts[] = []
  for (const _ of numbers) {
    ports.push({ http: await findPort(), native: await findPort(), replication: await findPort() })
  }
  const all = Array.from({ length: shards }, (_, shard) => numbers.slice(shard * replicas, (shard + 1) * replicas))
  const toLayout = (members: Members) => members.map((own) => own.map((index) => ports[index]?.native ?? 0))
  return ports.map((own, index) => {
    const shard = Math.floor(index / replicas)
    const replica = index % replicas
    const place = { folder: join(folder, `server-${index}`), ports: own, shard, replica }
    const options = { ...place, ...(zooKeeper && { zooKeeper }) }
    return {
      process: makeServer({ ...options, layout: toLayout(configured ?? all) }),
      url: `http://127.0.0.1:${own.http}`,
      shard,
      replica,
      configure: (members) => void writeConfig({ ...options, layout: toLayout(members) }),
    }
  })
}

/** Tests beside this one look for ports, too: a random one is rarely the same. */
async function findPort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST_PORT, HIGHEST_PORT)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await Promise.race([
      once(server, 'listening').then(() => true),
      once(server, 'error').then(() => false),
    ]).catch(() => false)
    server.close()
    if (isFree) return port
  }
}
