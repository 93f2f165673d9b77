import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { startCluster } from '../../../../test/harness/storage/clickhouse/cluster.ts'
import { openPlainLog } from '../../../../test/harness/storage/clickhouse/plain-log.ts'
import { AppError } from '../../../lib/app-error.ts'
import { burst, freshDomains, parse, queryOf } from '../../contract/log-scene.ts'
import { BudgetError, type ClickHouse } from '../server/clickhouse.ts'
import { parseCursor } from './arrival-cursor.ts'
import { ArrivalReader } from './arrival-reader.ts'

test('a stream waits rather than be read from a replica that may lack events; pages do not', {
  timeout: 300_000,
}, async () => {
  await using cluster = await startCluster({ shards: 1, replicas: 1 })
  await using log = await openPlainLog(cluster)
  const [domain] = freshDomains()
  const after = await log.arrivals.last()
  await log.append([burst(1, domain)])
  const query = { ...queryOf([domain], 10), after }
  await cluster.zooKeeper?.kill()
  await assert.rejects(
    log.arrivals.list(query),
    (error) => error instanceof AppError && error.code === 'storage_unavailable',
  )
  const { events } = await log.list(queryOf([domain], 10))
  assert.equal(events.length, 1)
  await cluster.zooKeeper?.start()
  for (;;) {
    const page = await log.arrivals.list(query).catch(() => undefined)
    if (!page) await delay(100)
    else {
      assert.deepEqual(
        page.events.map(({ text }) => parse(text).id),
        ['message-1'],
      )
      return
    }
  }
})

test('a search that took too long is not repeated for less than a page', { timeout: 300_000 }, async () => {
  await using cluster = await startCluster({ shards: 1, replicas: 1 })
  await using log = await openPlainLog(cluster)
  const [domain] = freshDomains()
  const after = await log.arrivals.last()
  await log.append(Array.from({ length: 300 }, (_, index) => burst(index, domain)))
  const [end] = parseCursor(await log.arrivals.last(), 1)
  let searches = 0
  let failures = 0
  const selectOf: ClickHouse['selectOf'] = async (...given) => {
    searches++
    if (failures-- > 0) throw new BudgetError('too long')
    return log.clickHouse.selectOf(...given)
  }
  const { version, database, shards } = log.clickHouse
  const reader = new ArrivalReader({
    clickHouse: { version, database, shards, selectOf } as ClickHouse,
    serviceMessageIdField: 'x',
    readHorizon: async () => ({ next: end ?? 0, unfinished: new Map() }),
  })
  const query = { ...queryOf([domain], 200), after }
  assert.equal((await reader.list(query)).events.length, 200)
  searches = 0
  failures = 1
  assert.equal((await reader.list(query)).events.length, 200)
  assert.equal(searches, 2)
})
