/** What happens to an installation of several servers. */
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { Fault } from './killing-scene.ts'

/** Longer than PostgreSQL waits for a word of a server that holds a shard: 12 seconds. */
const SILENT_HOLDER_MS = 14_000
/** Longer than a batch may take: 8 seconds. */
const FAILED_BATCH_MS = 10_000

export const REPLICA_KILLED: Fault = {
  name: 'kill -9 of a replica, which comes back',
  async run({ installation }) {
    const { process } = installation.cluster.servers[0] ?? assert.fail()
    await process.kill()
    await delay(5000)
    await process.start()
  },
}

export const REPLICA_FROZEN: Fault = {
  name: 'a replica frozen for 15 seconds',
  async run({ installation }) {
    const { process } = installation.cluster.servers.at(-1) ?? assert.fail()
    process.freeze()
    await delay(15_000)
    process.thaw()
  },
}

export const ZOOKEEPER_STOPPED: Fault = {
  name: 'ZooKeeper stopped for ten seconds',
  async run({ installation: { cluster } }) {
    await cluster.zooKeeper?.stop()
    await delay(10_000)
    await cluster.zooKeeper?.start()
  },
}

export const HOLDER_KILLED: Fault = {
  name: 'kill -9 of a server that holds a shard',
  async run(scene) {
    const server = await scene.freezeHolder()
    await server.kill()
    await scene.replaceVictim()
  },
}

export const HOLDER_FROZEN: Fault = {
  name: 'a server frozen that holds a shard',
  async run(scene) {
    const server = await scene.freezeHolder()
    await delay(SILENT_HOLDER_MS)
    server.signal('SIGCONT')
  },
}

export const POSTGRES_RESTARTED: Fault = {
  name: 'PostgreSQL restarted in immediate mode',
  async run({ installation }) {
    installation.postgres.server.restartImmediately()
  },
}

export const CUT_FROM_POSTGRES: Fault = {
  name: 'a server cut off from PostgreSQL',
  async run({ ways }) {
    ways.postgres.cut()
    await delay(SILENT_HOLDER_MS)
    ways.postgres.mend()
  },
}

export const CUT_FROM_CLICKHOUSE: Fault = {
  name: 'a server cut off from ClickHouse',
  async run({ ways }) {
    ways.clickHouse.cut()
    await delay(FAILED_BATCH_MS)
    ways.clickHouse.mend()
  },
}

export const ALL_FAULTS: readonly Fault[] = [
  REPLICA_KILLED,
  HOLDER_KILLED,
  REPLICA_FROZEN,
  POSTGRES_RESTARTED,
  ZOOKEEPER_STOPPED,
  HOLDER_FROZEN,
  CUT_FROM_POSTGRES,
  CUT_FROM_CLICKHOUSE,
]
