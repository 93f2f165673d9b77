/** Up to which day the counts of a shard are in the totals, and the sums of counts by hour that make them. */
import type { ClosedCount } from '../../postgres/batches/batch.ts'
import type { Statements } from '../../postgres/database/postgres.ts'
import { COUNTERS, SUMS } from '../counts/counters.ts'
import { FIRST_RESERVED_DOMAIN } from '../erasing/placeholders.ts'
import type { ClickHouse } from '../server/clickhouse.ts'
import { dayAfter, firstHourOf, laterOf } from '../upkeep/day.ts'

const READ = `
  SELECT (SELECT closed_day FROM shard WHERE number = $1) AS "closedDay", (SELECT max(day) FROM folded_day) AS "foldedDay"`

/** Days that are in the totals, up to and including these. Empty: none. */
export interface ClosedDays {
  /** In those of closed or of removed days. */
  readonly lastDay: string
  /** In those of removed days, of all shards. */
  readonly foldedDay: string
}

export async function readClosedDays(statements: Statements, shard: number): Promise<ClosedDays> {
  const row = await statements.get<{ closedDay: string | null; foldedDay: string | null }>(READ, shard)
  const [closedDay, foldedDay] = [row?.closedDay ?? '', row?.foldedDay ?? '']
  return { lastDay: laterOf(closedDay, foldedDay), foldedDay }
}

/** As `readClosedDays`. Until the transaction ends, no day is removed. */
export async function lockClosedDays(statements: Statements, shard: number): Promise<ClosedDays> {
  await statements.run('SELECT 1 FROM shard WHERE number = $1 FOR UPDATE', shard)
  return readClosedDays(statements, shard)
}

/** SQL: hours after one day and up to another. */
export function hoursBetween(afterDay: string, lastDay: string): string {
  const from = afterDay === '' ? 0 : firstHourOf(dayAfter(afterDay))
  return `hour >= ${from} AND hour < ${firstHourOf(dayAfter(lastDay))}`
}

/** SQL: whether the shard decides about the domain. */
export function ofShard({ shards }: ClickHouse, shard: number): string {
  return `domain % ${shards} = ${shard} AND domain < ${FIRST_RESERVED_DOMAIN}`
}

/** Domains without counted events are absent. */
export async function sumHours(
  clickHouse: ClickHouse,
  where: string,
  budgetMs: number,
): Promise<readonly ClosedCount[]> {
  const rows = await clickHouse.select(
    `SELECT domain, ${SUMS} FROM ${clickHouse.readFrom('event_hour')}
     WHERE ${where} GROUP BY domain HAVING ${COUNTERS.map((counter) => `${counter} != 0`).join(' OR ')}`,
    { mustBeStrict: true, budgetMs },
  )
  return rows.map((row) => {
    const [domain = 0, bounce = 0, delivery = 0, reception = 0] = row.map(Number)
    return { domain, bounce, delivery, reception }
  })
}
