import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { startCluster } from '../../../../test/harness/storage/clickhouse/cluster.ts'
import { openPlainLog } from '../../../../test/harness/storage/clickhouse/plain-log.ts'
import { AppError } from '../../../lib/app-error.ts'
import { burst, freshDomains, parse, queryOf } from '../../contract/log-scene.ts'

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
