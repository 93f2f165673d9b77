/**
 * Counts of closed and of removed days, which are in PostgreSQL, together with those of the other days, which are in ClickHouse.
 *
 * A day is added to the totals in the same transaction that moves the hour from which ClickHouse counts; only if it is to be removed,
 * its partition is dropped after that. So if ClickHouse counts from the hours that the totals are read with, and no day was removed by the time it
 * has counted, every event is counted exactly once, whatever upkeep does meanwhile.
 */
import type { EventType } from '../../../events/event.ts'
import { AppError } from '../../../lib/app-error.ts'
import { COUNTER_OF_TYPE } from '../../../stats/domain-counts.ts'
import type { ClosedCount } from '../../postgres/batches/batch.ts'
import type { Statements } from '../../postgres/database/postgres.ts'
import { dayAfter, firstHourOf, laterOf } from './day.ts'

/** The hours move once a day; more often only when upkeep catches up. */
const ATTEMPTS = 20

const DAYS = `
  (SELECT max(day) FROM folded_day) AS "lastDay",
  (SELECT string_agg(number || ' ' || closed_day, ',') FROM shard WHERE closed_day IS NOT NULL) AS closed`
const READ_DAYS = `SELECT ${DAYS}`
const READ_REMOVED = 'SELECT max(day) AS "lastDay" FROM folded_day'
// Texts: thousands of rows would take several times as long.
const READ = `
  SELECT ${DAYS},
    (SELECT string_agg(domain_number || ' ' || bounce || ' ' || delivery || ' ' || reception, ',')
     FROM closed_total WHERE domain_number = ANY ($1)) AS "closedTotals",
    (SELECT string_agg(domain_number || ' ' || type || ' ' || count, ',')
     FROM total WHERE domain_number = ANY ($1)) AS totals`

interface DaysRow {
  readonly lastDay: string | null
  readonly closed: string | null
}

interface TotalsRow extends DaysRow {
  readonly closedTotals: string | null
  readonly totals: string | null
}

/** From which hour on ClickHouse counts. */
export class CountedHours {
  readonly #ofShard: ReadonlyMap<number, number>
  /** Of shards without closed days. */
  readonly #ofOthers: number

  /** Days that are in the totals: of all shards, and of each one. */
  constructor({ lastDay, closed }: DaysRow = { lastDay: null, closed: null }) {
    const last = lastDay ?? ''
    this.#ofShard = new Map(
      splitRows(closed).map(([shard, day = '']) => [Number(shard), hourAfter(laterOf(day, last))] as const),
    )
    this.#ofOthers = hourAfter(last)
  }

  fromHourOf(shard: number): number {
    return this.#ofShard.get(shard) ?? this.#ofOthers
  }

  /** Whether it is that of a shard with closed days: few are left to count. */
  isAfterClosed(fromHour: number): boolean {
    return fromHour > this.#ofOthers
  }

  equals(other: CountedHours): boolean {
    const shards = [...this.#ofShard.keys(), ...other.#ofShard.keys(), -1]
    return shards.every((shard) => this.fromHourOf(shard) === other.fromHourOf(shard))
  }
}

function hourAfter(day: string): number {
  return day === '' ? 0 : firstHourOf(dayAfter(day))
}

export class Totals {
  readonly #db: Statements
  /** As of the last read. */
  #hours: CountedHours | undefined

  constructor(db: Statements) {
    this.#db = db
  }

  /**
   * `count` adds up what ClickHouse has from these hours on; it is called again if a day was closed or removed meanwhile. A domain may be in
   * the totals several times.
   */
  async readWith<Counted>(
    domainNumbers: readonly number[],
    count: (hours: CountedHours) => Promise<Counted>,
  ): Promise<{ readonly totals: readonly ClosedCount[]; readonly counted: Counted }> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const assumed = this.#hours ?? new CountedHours(await this.#db.get<DaysRow>(READ_DAYS))
      const [counted, row] = await Promise.all([count(assumed), this.#db.get<TotalsRow>(READ, domainNumbers)])
      const removed = await this.#db.get<Pick<DaysRow, 'lastDay'>>(READ_REMOVED)
      this.#hours = new CountedHours(row)
      const isExact = this.#hours.equals(assumed) && removed?.lastDay === row?.lastDay
      if (isExact) return { totals: row ? toCounts(row) : [], counted }
    }
    throw new AppError('storage_unavailable', 'Days are being closed or removed. Send the same request again later.')
  }
}

function toCounts({ closedTotals, totals }: TotalsRow): readonly ClosedCount[] {
  const closed = splitRows(closedTotals).map((row) => {
    const [domain = 0, bounce = 0, delivery = 0, reception = 0] = row.map(Number)
    return { domain, bounce, delivery, reception }
  })
  const removed = splitRows(totals).map(([domain, type, count]) => {
    const counter = COUNTER_OF_TYPE[type as EventType]
    return {
      domain: Number(domain),
      bounce: 0,
      delivery: 0,
      reception: 0,
      ...(counter && { [counter]: Number(count) }),
    }
  })
  return [...closed, ...removed]
}

function splitRows(text: string | null): readonly (readonly string[])[] {
  return text ? text.split(',').map((row) => row.split(' ')) : []
}
