/**
 * Sums up the counts of days that are over, in PostgreSQL, so that counts of a domain add up hours of a few days however long its history is.
 * Shard by shard: while its lock is held nothing is decided, and all that was decided is counted. What comes later for such a day is added in the
 * transaction that decides about it.
 */
import { addClosed, type HeldShard } from '../../postgres/batches/held-shard.ts'
import type { Postgres, Statements } from '../../postgres/database/postgres.ts'
import type { ClickHouse } from '../server/clickhouse.ts'
import { dayOf } from '../upkeep/day.ts'
import type { ShardAccess } from '../upkeep/shard-access.ts'
import { hoursBetween, lockClosedDays, ofShard, readClosedDays, sumHours } from './closed-days.ts'

const MS_PER_HOUR = 3_600_000
const MS_PER_DAY = 24 * MS_PER_HOUR
/** Events are stored a little later than they happen: days are closed when few more come. */
const OPEN_MS = 2 * MS_PER_DAY
/** Under one lock: ingest of the shard waits for it. */
const DAYS_AT_ONCE = 7
const READ_BUDGET_MS = 5000
const ROWS_AT_ONCE = 10_000

export interface ClosingDeps {
  readonly db: Postgres
  readonly clickHouse: ClickHouse
  readonly access: ShardAccess
}

/** Up to and including this day. Days that are closed already, also by another server, are left alone. */
export async function closeDays(deps: ClosingDeps, lastDay: string, signal?: AbortSignal): Promise<void> {
  for (let shard = 0; shard < deps.access.shards; shard++) {
    for (let isDone = false; !isDone && !signal?.aborted; ) {
      const closed = await readClosedDays(deps.db, shard)
      isDone =
        closed.lastDay >= lastDay || (await deps.access.whileIdle(shard, (held) => closeSome(deps, held, lastDay)))
    }
  }
}

/** The newest day that may be closed. */
export function lastDayToClose(nowMs: number): string {
  return dayOf(nowMs - OPEN_MS)
}

/** Nothing is summed up any more: counts are added up from all hours until days are closed again. */
export async function reopenDays(statements: Statements): Promise<void> {
  await statements.run('UPDATE shard SET closed_day = NULL')
  await statements.run('DELETE FROM closed_total')
}

/** Whether all of them are closed now. */
async function closeSome({ clickHouse }: ClosingDeps, held: HeldShard, lastDay: string): Promise<boolean> {
  const found = await held.transaction((statements) => readClosedDays(statements, held.number))
  if (found.lastDay >= lastDay) return true
  const first = await findFirstDay(clickHouse, held.number, found.lastDay, lastDay)
  const day = first === undefined ? lastDay : earlierOf(daysLater(first, DAYS_AT_ONCE - 1), lastDay)
  const where = `${hoursBetween(found.lastDay, day)} AND ${ofShard(clickHouse, held.number)}`
  const counts = first === undefined ? [] : await sumHours(clickHouse, where, READ_BUDGET_MS)
  return held.transaction(async (statements) => {
    // A day that was removed meanwhile is in the totals already: it must not be added once more.
    const { foldedDay } = await lockClosedDays(statements, held.number)
    if (foldedDay !== found.foldedDay) return false
    for (let at = 0; at < counts.length; at += ROWS_AT_ONCE) {
      await addClosed(statements, counts.slice(at, at + ROWS_AT_ONCE))
    }
    // A shard without a row has never had an event.
    const closed = await statements.run('UPDATE shard SET closed_day = $2 WHERE number = $1', held.number, day)
    return closed === 0 || day === lastDay
  })
}

/** The first day with counts, after one and up to another. */
async function findFirstDay(
  clickHouse: ClickHouse,
  shard: number,
  after: string,
  lastDay: string,
): Promise<string | undefined> {
  const [[hour, rows] = []] = await clickHouse.select(
    `SELECT min(hour), count() FROM ${clickHouse.readFrom('event_hour')}
     WHERE ${hoursBetween(after, lastDay)} AND ${ofShard(clickHouse, shard)}`,
    { mustBeStrict: true, budgetMs: READ_BUDGET_MS },
  )
  return Number(rows ?? 0) === 0 ? undefined : dayOf(Number(hour) * MS_PER_HOUR)
}

function daysLater(day: string, days: number): string {
  return dayOf(Date.parse(day) + days * MS_PER_DAY)
}

function earlierOf(one: string, other: string): string {
  return [one, other].sort()[0] ?? ''
}
