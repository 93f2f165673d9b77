/** The state of a real cluster, while parts of it die and return. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { CutProxy } from '../../../../test/harness/cluster/cut-proxy.ts'
import { startCluster } from '../../../../test/harness/storage/clickhouse/cluster.ts'
import { openUpkeepScene } from '../../../../test/harness/storage/clickhouse/upkeep.ts'
import { PostgresDatabases } from '../../../../test/harness/storage/postgres-databases.ts'
import { Postgres } from '../../postgres/database/postgres.ts'
import type { ClusterFigures } from '../../storage.ts'
import { ClusterWatch } from './cluster-watch.ts'
import { openUpkeep } from './upkeep.ts'

const ADD_BATCH = `
  INSERT INTO batch (shard, first, events, token, domains, payload, decided_at_ms)
  VALUES (99, 1, 0, 't', '{}', '', (extract(epoch FROM clock_timestamp()) * 1000)::bigint - 5000)`

test('missing replicas, read-only ones, unfinished batches and unreachable databases are noticed, and their return', async () => {
  await using cluster = await startCluster({ shards: 1, replicas: 2 })
  await using databases = await PostgresDatabases.start()
  await using scene = await openUpkeepScene(cluster, databases)
  const { db, clickHouse, writer } = scene
  const upkeep = openUpkeep({ db, clickHouse, access: writer, times: writer.times, everyMs: 50 })
  try {
    const until = async (isTrue: (figures: ClusterFigures) => boolean) => {
      for (let tries = 0; !isTrue(upkeep.cluster.figures); tries++) {
        assert.ok(tries < 1200, JSON.stringify(upkeep.cluster.figures))
        await delay(50)
      }
    }
    await until(({ members, reachableMembers }) => members === 2 && reachableMembers === 2)
    assert.deepEqual(upkeep.unreachable, [])
    assert.deepEqual([upkeep.cluster.figures.readOnlyMembers, upkeep.cluster.figures.unfinishedBatches], [0, 0])

    await db.run(ADD_BATCH)
    await until(({ unfinishedBatches, oldestBatchMs }) => unfinishedBatches === 1 && oldestBatchMs >= 5000)
    await db.run('DELETE FROM batch')
    await until(({ unfinishedBatches, oldestBatchMs }) => unfinishedBatches === 0 && oldestBatchMs === 0)

    const [first, second] = cluster.servers
    await second?.process.stop()
    await until(({ members, reachableMembers }) => members === 2 && reachableMembers === 1)
    assert.deepEqual(upkeep.unreachable, [], 'one server is enough to read')
    await first?.process.stop()
    await until(({ isClickHouseReachable }) => !isClickHouseReachable)
    assert.deepEqual(upkeep.unreachable, ['ClickHouse'])
    await Promise.all([first?.process.start(), second?.process.start()])
    await until(({ isClickHouseReachable, reachableMembers }) => isClickHouseReachable && reachableMembers === 2)

    await cluster.zooKeeper?.stop()
    await until(({ readOnlyMembers }) => readOnlyMembers > 0)
    assert.deepEqual(upkeep.unreachable, [])
    await cluster.zooKeeper?.start()
    await until(({ readOnlyMembers, reachableMembers }) => readOnlyMembers === 0 && reachableMembers === 2)

    databases.server.stop()
    await until(({ isPostgresReachable }) => !isPostgresReachable)
    assert.deepEqual(upkeep.unreachable, ['PostgreSQL'])
  } finally {
    await upkeep.close()
  }
})

test('a PostgreSQL that says nothing is noticed, and does not delay what is known about ClickHouse', async () => {
  await using cluster = await startCluster({ shards: 1, replicas: 1 })
  await using databases = await PostgresDatabases.start()
  await using scene = await openUpkeepScene(cluster, databases)
  const { clickHouse, writer } = scene
  const { username, pathname, searchParams } = new URL((await databases.create()).replace('@/', '@localhost/'))
  await using proxy = await CutProxy.open({ path: `${searchParams.get('host')}/.s.PGSQL.5432` })
  const db = new Postgres(`postgres://${username}@127.0.0.1:${proxy.port}${pathname}`)
  const watch = ClusterWatch.start({ db, clickHouse, times: writer.times, everyMs: 50 })
  try {
    const until = async (isTrue: (figures: ClusterFigures) => boolean) => {
      for (let tries = 0; !isTrue(watch.figures); tries++) {
        assert.ok(tries < 1200, JSON.stringify(watch.figures))
        await delay(50)
      }
    }
    await db.run(ADD_BATCH)
    await until(({ unfinishedBatches }) => unfinishedBatches === 1)
    proxy.cut()
    let isGivenUp = false
    const other = db.run('SELECT 1').catch(() => {
      isGivenUp = true
    })
    await until(({ isPostgresReachable }) => !isPostgresReachable)
    assert.equal(isGivenUp, false, 'other statements are waited for longer')
    await cluster.servers[0]?.process.stop()
    await until(({ isClickHouseReachable }) => !isClickHouseReachable)
    await cluster.servers[0]?.process.start()
    await until(({ isClickHouseReachable }) => isClickHouseReachable)
    assert.equal(watch.figures.isPostgresReachable, false)
    proxy.mend()
    await until(({ isPostgresReachable }) => isPostgresReachable)
    await other
  } finally {
    await watch.stop()
    await db.close()
  }
})
