/** The databases of the other engine for a run: PostgreSQL, ZooKeeper and a ClickHouse cluster from the system's packages. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { closeDays, lastDayToClose } from '../../src/storage/clickhouse/closing/close-days.ts'
import { connectClickHouse } from '../../src/storage/clickhouse/server/connect-clickhouse.ts'
import type { ShardAccess } from '../../src/storage/clickhouse/upkeep/shard-access.ts'
import { BatchStore } from '../../src/storage/postgres/batches/batch-store.ts'
import { Postgres } from '../../src/storage/postgres/database/postgres.ts'
import { type ClusterLayout, startCluster } from '../../test/harness/storage/clickhouse/cluster.ts'
import { startPostgres } from '../../test/harness/storage/postgres-process.ts'
import { processorMsOf, processorMsOfTree } from '../load/processor-time.ts'

/** Processor milliseconds so far. */
export type DatabaseTimes = Readonly<Record<'ClickHouse' | 'ZooKeeper' | 'PostgreSQL', number>>

export interface ClusterSide {
  /** Of servers that use it. */
  readonly environment: Readonly<Record<string, string>>
  /** Such as `ClickHouse 18.16, 2 shards with 2 replicas; postgres (PostgreSQL) 15.8`. */
  readonly description: string
  processorMs(): DatabaseTimes
  /** Resolves when background merges have ended. */
  untilMerged(): Promise<void>
  /** Closes days as servers do every hour. */
  closeDays(nowMs: number): Promise<void>
  /** Of one copy of all events and counts. */
  measureDisk(): Promise<{ readonly bytes: number; readonly parts: number }>
}

const DATABASE = 'envelog'
const POLL_MS = 200
const QUIET_MS = 1000
const MERGED_WITHIN_MS = 120_000
const LOCK_WAIT_MS = 10_000

/** Everything is stopped when the resources are disposed of. */
export async function startClusterSide(
  resources: AsyncDisposableStack,
  layout: ClusterLayout,
  isKept: boolean,
): Promise<ClusterSide> {
  const postgres = await startPostgres({ isKept, settings: {} }, resources)
  const client = await postgres.connect()
  await client.query(`CREATE DATABASE ${DATABASE}`)
  await client.end()
  const [postmaster = ''] = readFileSync(join(postgres.folder, 'cluster/postmaster.pid'), 'utf8').split('\n')
  const cluster = resources.use(await startCluster(layout))
  const options = await cluster.createDatabase()
  const { database } = options
  const clickHouse = await connectClickHouse(options)
  resources.defer(() => clickHouse.close())
  const ask = (sql: string) => clickHouse.select(sql, { isStrict: false })
  const hosts = await ask(`SELECT host_address, port FROM system.clusters WHERE cluster = '${options.cluster}'`)
  // Each of them as a shard of its own: the tables of all replicas.
  const everywhere = (table: string) => `remote('${hosts.map((host) => host.join(':')).join(',')}', system.${table})`
  const isBusy = async () => {
    const counts = ['merges', 'replication_queue'].map((table) =>
      ask(`SELECT count() FROM ${everywhere(table)} WHERE database = '${database}'`),
    )
    return (await Promise.all(counts)).some(([row]) => row?.[0] !== '0')
  }
  const untilMerged = async () => {
    const end = performance.now() + MERGED_WITHIN_MS
    for (let quiet = 0; quiet < QUIET_MS && performance.now() < end; quiet += POLL_MS) {
      if (await isBusy()) quiet = 0
      await sleep(POLL_MS)
    }
  }
  return {
    environment: {
      ENVELOG_STORAGE: 'clickhouse',
      ENVELOG_CLICKHOUSE_URL: options.urls.join(','),
      ENVELOG_CLICKHOUSE_USER: options.user,
      ENVELOG_CLICKHOUSE_PASSWORD: options.password,
      ENVELOG_CLICKHOUSE_DATABASE: database,
      ENVELOG_CLICKHOUSE_CLUSTER: options.cluster ?? '',
      ENVELOG_POSTGRES_URL: postgres.url(DATABASE),
    },
    description: `ClickHouse ${clickHouse.version.join('.')}, ${describe(layout)}; ${postgres.version}`,
    processorMs: () => ({
      ClickHouse: cluster.servers.reduce((sum, { process }) => sum + processorMsOf(process.pid ?? 0), 0),
      ZooKeeper: processorMsOf(cluster.zooKeeper?.pid ?? 0),
      PostgreSQL: processorMsOfTree(Number(postmaster)),
    }),
    untilMerged,
    async closeDays(nowMs) {
      // Connected before there were tables, the other one does not know how they are divided.
      const own = await connectClickHouse(options)
      const db = new Postgres(postgres.url(DATABASE))
      const batches = new BatchStore({ db })
      const access: ShardAccess = {
        shards: own.shards,
        whileIdle: (shard, work) => batches.hold(shard, LOCK_WAIT_MS, work),
      }
      await closeDays({ db, clickHouse: own, access }, lastDayToClose(nowMs))
      batches.close()
      await db.close()
      await own.close()
    },
    async measureDisk() {
      const sql = `SELECT sum(bytes_on_disk), count() FROM ${everywhere('parts')} WHERE active AND database = '${database}'`
      const [[bytes, parts] = []] = await ask(sql)
      return { bytes: Number(bytes) / layout.replicas, parts: Number(parts) / layout.replicas }
    },
  }
}

function describe({ shards, replicas }: ClusterLayout): string {
  return `${shards} shard${shards === 1 ? '' : 's'} with ${replicas} replica${replicas === 1 ? '' : 's'}`
}
