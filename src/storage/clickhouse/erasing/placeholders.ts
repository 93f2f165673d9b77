/**
 * Versions of ClickHouse before 20 do not touch the last part of a partition that was inserted with a quorum, so rows in it would never be
 * deleted. A row of a domain that does not exist becomes the last part instead; the next deletion removes it.
 */
import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../../../lib/app-error.ts'
import type { ClickHouse, Insertion, TableName } from '../server/clickhouse.ts'
import { firstHourOf, startOf } from '../upkeep/day.ts'
import type { Deletion } from './erasure-lease.ts'

/** No domain ever has such a number. */
export const FIRST_RESERVED_DOMAIN = 4_294_900_000
const TIMEOUT_MS = 8000
const PAUSE_MS = 150
const RANDOM_MAX = 2 ** 47

const COLUMNS: Readonly<Record<TableName, readonly string[]>> = {
  event: ['domain', 'timestamp', 'arrival'],
  event_hour: ['domain', 'hour', 'batch'],
  sending_hour: ['domain', 'hour', 'batch'],
  domain_change: ['domain', 'changed_at_ms'],
}

export async function insertPlaceholders(clickHouse: ClickHouse, deletions: readonly Deletion[]): Promise<void> {
  const { shards } = clickHouse
  const first = Math.ceil(FIRST_RESERVED_DOMAIN / shards) * shards
  const domains = Array.from({ length: shards }, (_, shard) => first + shard)
  for (const { table, partitions } of deletions) {
    // Different each time: ClickHouse drops what it has seen.
    const number = randomInt(RANDOM_MAX)
    const rows = partitions.flatMap((partition) =>
      domains.map((domain) => [domain, ...valuesOf(table, partition), number].join('\t')),
    )
    await insertSoon(clickHouse, {
      table,
      body: Buffer.from(`${rows.join('\n')}\n`),
      token: `placeholder ${number}`,
      timeoutMs: TIMEOUT_MS,
      shard: 0,
      columns: COLUMNS[table],
      format: 'TabSeparated',
    })
  }
}

/** While another insert waits for its quorum, ClickHouse refuses further ones. */
async function insertSoon(clickHouse: ClickHouse, insertion: Insertion): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS
  for (;;) {
    try {
      return await clickHouse.insert(insertion)
    } catch (error) {
      if (!(error instanceof AppError) || performance.now() > deadline) throw error
      await delay(PAUSE_MS)
    }
  }
}

function valuesOf(table: TableName, partition: string): readonly number[] {
  if (table === 'domain_change') return []
  return [table === 'event' ? startOf(partition) : firstHourOf(partition)]
}
