import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openCluster } from '../../../../test/harness/storage/clickhouse/cluster.ts'
import type { ClickHouse, SelectOptions } from '../server/clickhouse.ts'
import { firstHourOf } from '../upkeep/day.ts'
import { findTwins } from './find-twins.ts'

const DAY = '2026-01-15'
/** Groups of which do not fit into the memory that a query may use here. */
const EVENTS = 1_500_000
const QUERY_BYTES = 150_000_000

test('events that are stored twice are found in an hour whose keys do not fit into memory', async () => {
  await using cluster = await openCluster()
  const clickHouse = await cluster.openDatabase()
  const second = firstHourOf(DAY) * 3600
  const [server] = cluster.servers
  // The second statement stores the first event once more.
  for (const events of [EVENTS, 1]) {
    const body = `INSERT INTO ${clickHouse.database}.event (domain, timestamp, arrival, key, id)
      SELECT 2 * intDiv(number, 3000), toUInt32(${second} + number % 3600), number + ${EVENTS - events}, cityHash64(number), 'i'
      FROM system.numbers LIMIT ${events}`
    // On both replicas: the next query may be sent to the other one.
    const answer = await fetch(`${server?.url}/?insert_quorum=2`, { method: 'POST', body })
    assert.equal(answer.status, 200, await answer.text())
  }
  const limited = withMemory(clickHouse)
  assert.match((await findTwins(limited, DAY, QUERY_BYTES / 10)).join('\n'), /domain 0, .* is stored 2 times$/)
  await assert.rejects(findTwins(limited, DAY, 0), 'the test has enough events')
  await clickHouse.close()
})

/** Every query may use this much. */
function withMemory(clickHouse: ClickHouse): ClickHouse {
  const select = (sql: string, options: SelectOptions = {}) =>
    clickHouse.select(sql, { ...options, settings: { ...options.settings, max_memory_usage: QUERY_BYTES } })
  return Object.create(clickHouse, {
    select: { value: select },
    readFrom: { value: clickHouse.readFrom.bind(clickHouse) },
  }) as ClickHouse
}
