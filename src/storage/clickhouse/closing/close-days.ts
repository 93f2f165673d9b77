/**
 * Sums up the counts of days that are over, in PostgreSQL, so that counts of a domain add up hours of a few days however long its history is.
 * Shard by shard: while its lock is held nothing is decided, and all that was decided is counted. What comes later for such a day is added in the
 * transaction that decides about it.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../../../lib/app-error.ts'
import { addClosed, addShard, type HeldShard } from '../../postgres/batches/held-shard.ts'
import type { Postgres, Statements } from '../../postgres/database/postgres.ts'
import { BudgetError, type ClickHouse } from '../server/clickhouse.ts'
import { dayOf } from '../upkeep/day.ts'
import { Members } from '../upkeep/members.ts'
import type { ShardAccess } from '../upkeep/shard-access.ts'
import { hoursBetween, lockClosedDays, ofShard, readClosedDays, sumHours } from './closed-days.ts'

/** Events are stored a little later than they happen: yesterday is still open. */
const OPEN_MS = 2 * 86_400_000
/** Under one lock, which ingest of the shard waits for. */
const DAYS_AT_ONCE = 7
/** Less than half of what ingest waits for. */
const READ_BUDGET_MS = 3000
const ROWS_AT_ONCE = 10_000

export interface ClosingDeps {
  readonly db: Postgres
  readonly clickHouse: ClickHouse
  readonly access: ShardAccess
}

/** Up to and including this day. Days that are closed already, also by another server, are left alone. */
export async function closeDays(deps: ClosingDeps, lastDay: string, signal?: AbortSignal): Promise<void> {
  const { clickHouse, access } = deps
  const days = (await (await Members.list(clickHouse)).listPartitions(`active AND table = 'event_hour'`)).toSorted()
  const failures: unknown[] = []
  // One that cannot be used does not keep the others.
  for (let shard = 0; shard < access.shards; shard++) {
    await closeShard(deps, shard, { days, lastDay, signal }).catch((error: unknown) => failures.push(error))
  }
  if (failures.length > 0) throw failures[0]
}

/** The newest day that may be closed: the one before yesterday. */
export function lastDayToClose(nowMs: number): string {
  return dayOf(nowMs - OPEN_MS)
}

/** Nothing is summed up any more: counts are added up from all hours until days are closed again. */
export async function reopenDays(statements: Statements): Promise<void> {
  await statements.run('UPDATE shard SET closed_day = NULL')
  await statements.run('DELETE FROM closed_total')
}

interface Wanted {
  /** Days with counts, in order. */
  readonly days: readonly string[]
  readonly lastDay: string
  readonly signal: AbortSignal | undefined
}

async function closeShard({ db, clickHouse, access }: ClosingDeps, shard: number, wanted: Wanted): Promise<void> {
  let atOnce = DAYS_AT_ONCE
  while (!wanted.signal?.aborted) {
    const closed = await readClosedDays(db, shard)
    if (closed.lastDay >= wanted.lastDay) return
    const left = wanted.days.filter((day) => day > closed.lastDay && day <= wanted.lastDay)
    const day = left.length > atOnce ? (left[atOnce - 1] ?? wanted.lastDay) : wanted.lastDay
    const startedAt = performance.now()
    try {
      await access.whileIdle(shard, (held) => closeUntil(clickHouse, held, day))
    } catch (error) {
      if (!(error instanceof BudgetError)) throw error
      if (atOnce === 1 || left.length <= 1) {
        throw new AppError('overloaded', `ClickHouse takes too long to add up the counts of ${left[0] ?? day}.`, {
          cause: error,
        })
      }
      atOnce = 1
    }
    // Those who wait for the shard are next.
    await delay(performance.now() - startedAt, undefined, { signal: wanted.signal, ref: false }).catch(() => undefined)
  }
}

/** Does nothing if what it would add changed meanwhile. */
async function closeUntil(clickHouse: ClickHouse, held: HeldShard, day: string): Promise<void> {
  const found = await held.transaction((statements) => readClosedDays(statements, held.number))
  if (found.lastDay >= day) return
  const where = `${hoursBetween(found.lastDay, day)} AND ${ofShard(clickHouse, held.number)}`
  const counts = await sumHours(clickHouse, where, READ_BUDGET_MS)
  await held.transaction(async (statements) => {
    await addShard(statements, held.number)
    // A day that was removed meanwhile is in the totals already, and those that were opened are not any more.
    const { lastDay, foldedDay } = await lockClosedDays(statements, held.number)
    if (lastDay !== found.lastDay || foldedDay !== found.foldedDay) return
    for (let at = 0; at < counts.length; at += ROWS_AT_ONCE) {
      await addClosed(statements, counts.slice(at, at + ROWS_AT_ONCE))
    }
    await statements.run('UPDATE shard SET closed_day = $2 WHERE number = $1', held.number, day)
  })
}
