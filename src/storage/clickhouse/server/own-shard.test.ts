/** Reads of domains of one shard on a real cluster: only that shard is asked, and nobody gets half of the events. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openRoundRobin } from '../../../../test/harness/programs/round-robin.ts'
import { openCluster, type SharedCluster } from '../../../../test/harness/storage/clickhouse/cluster.ts'
import { openPlainLog, type PlainLog } from '../../../../test/harness/storage/clickhouse/plain-log.ts'
import { PASSWORD, USER } from '../../../../test/harness/storage/clickhouse/server.ts'
import type { LogDomain } from '../../../events/log/log-query.ts'
import { AppError } from '../../../lib/app-error.ts'
import { burst, freshDomains, listAll, queryOf } from '../../contract/log-scene.ts'
import { LogReader } from '../reading/log-reader.ts'
import { TABLES } from '../schema/tables.ts'
import type { ClickHouse } from './clickhouse.ts'
import { connectClickHouse } from './connect-clickhouse.ts'

const EVENTS = 20
const FIELD = 'service_message_id'

describe('domains of one shard', () => {
  let cluster: SharedCluster
  let log: PlainLog
  const [one, other] = freshDomains()
  before(async () => {
    cluster = await openCluster()
    log = await openPlainLog(cluster)
    assert.notEqual(one.number % log.clickHouse.shards, other.number % log.clickHouse.shards)
    await log.append(
      [one, other].flatMap((domain) => Array.from({ length: EVENTS }, (_, index) => burst(index, domain))),
    )
  })
  after(async () => {
    await log?.[Symbol.asyncDispose]()
    await cluster?.[Symbol.asyncDispose]()
  })

  async function onEachServer(sql: string): Promise<void> {
    for (const { url } of cluster.servers) {
      const answer = await fetch(url, { method: 'POST', body: sql })
      assert.equal(answer.status, 200, await answer.text())
    }
  }

  test('are all there if one address leads to servers of all shards in turn', async () => {
    await using balancer = await openRoundRobin(cluster.servers.map(({ url }) => url))
    const clickHouse = await connectTo([balancer.address])
    try {
      // Twice as many as servers, so that each is asked for each domain.
      for (let turn = 0; turn < cluster.servers.length * 2; turn++) {
        for (const domain of [one, other]) assert.equal(await countEvents(clickHouse, domain), EVENTS)
      }
    } finally {
      await clickHouse.close()
    }
  })

  test('are all there if the addresses are those of another shard', async () => {
    const urls = cluster.servers.filter(({ shard }) => shard !== one.number % 2).map(({ url }) => url)
    const clickHouse = await connectTo(urls)
    try {
      for (const domain of [one, other]) assert.equal(await countEvents(clickHouse, domain), EVENTS)
    } finally {
      await clickHouse.close()
    }
  })

  test('are read without the tables of all shards', async () => {
    const { database } = log.clickHouse
    for (const table of TABLES) await onEachServer(`DROP TABLE ${database}.${table}_all_2`)
    for (const domain of [one, other]) assert.equal((await listAll(log, queryOf([domain], EVENTS))).length, EVENTS)
    const counts = await log.counts([one.number, other.number])
    assert.deepEqual(new Set(counts.keys()), new Set([one.number, other.number]))
    await assert.rejects(listAll(log, queryOf([one, other], EVENTS)), AppError)
  })

  test('are refused by a server that counts with an earlier number of shards', async () => {
    await onEachServer(`DROP TABLE ${log.clickHouse.database}.own_shard_2`)
    await assert.rejects(listAll(log, queryOf([one], EVENTS)), { code: 'storage_unavailable' })
    await assert.rejects(log.counts([one.number]), { code: 'storage_unavailable' })
  })

  function connectTo(urls: readonly string[]): Promise<ClickHouse> {
    return connectClickHouse({
      urls,
      user: USER,
      password: PASSWORD,
      database: log.clickHouse.database,
      cluster: log.clickHouse.cluster ?? '',
    })
  }
})

async function countEvents(clickHouse: ClickHouse, domain: LogDomain): Promise<number> {
  const reader = new LogReader({ clickHouse, serviceMessageIdField: FIELD })
  return (await reader.list(queryOf([domain], EVENTS))).events.length
}
