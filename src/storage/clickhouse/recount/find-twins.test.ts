import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openCluster } from '../../../../test/harness/storage/clickhouse/cluster.ts'
import { AppError } from '../../../lib/app-error.ts'
import type { ClickHouse, SelectOptions } from '../server/clickhouse.ts'
import { firstHourOf } from '../upkeep/day.ts'
import { findTwins } from './find-twins.ts'

const DAY = '2026-01-15'
const EVENTS = 800_000
/** A third of what the groups of all events need, and more than twice of what those of a twentieth of them do. */
const QUERY_BYTES = 60_000_000
/** Repetitions: on which server and in which order groups are merged changes. */
const ATTEMPTS = 12

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
  const twins = await findTwins(limited, DAY, EVENTS / 20)
  assert.equal(twins.length, 1)
  assert.match(twins[0] ?? '', /domain 0, .* is stored 2 times$/)
  // Memory that runs out is a failure, and never an answer without findings.
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    await assert.rejects(findTwins(limited, DAY), (error) => error instanceof AppError && error.code === 'overloaded')
  }
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
