/**
 * Counts of closed and of removed days, which are in PostgreSQL, together with those of the other days, which are in ClickHouse.
 *
 * A day is added to the totals in the same transaction that moves the hour from which ClickHouse counts, and its partition is
 * dropped after that. So if the hours are still the same after ClickHouse was read, no day was dropped before it, and rows below
 * the hours were ignored: every event is counted exactly once, whatever upkeep does meanwhile.
 */
import type { EventType } from '../../../events/event.ts'
import { AppError } from '../../../lib/app-error.ts'
import type { ClosedCount } from '../../postgres/batches/batch.ts'
import type { Statements } from '../../postgres/database/postgres.ts'
import { dayAfter, firstHourOf, laterOf } from './day.ts'

/** The hours move once a day; more often only when upkeep catches up. */
const ATTEMPTS = 20

const READ = `
  SELECT (SELECT max(day) FROM folded_day) AS "lastDay",
    (SELECT coalesce(json_agg(json_build_array(number, closed_day)), '[]')::text
     FROM shard WHERE closed_day IS NOT NULL) AS closed,
    (SELECT coalesce(json_agg(json_build_array(domain_number, type, count)), '[]')::text FROM (
      SELECT domain_number, type, count FROM total WHERE domain_number = ANY ($1)
      UNION ALL SELECT domain_number, type, count FROM closed_total WHERE domain_number = ANY ($1)) AS either) AS totals`

interface TotalsRow {
  readonly lastDay: string | null
  readonly closed: string
  readonly totals: string
}

/** From which hour on ClickHouse counts. */
export class CountedHours {
  readonly #after: string
  readonly #afterOfShard: ReadonlyMap<number, string>

  /** Days that are in the totals: of all shards, and of each one. */
  constructor(lastDay = '', closedDays: Iterable<readonly [number, string]> = []) {
    this.#after = lastDay
    this.#afterOfShard = new Map(closedDays)
  }

  fromHourOf(shard: number): number {
    const closed = this.#afterOfShard.get(shard) ?? ''
    const day = laterOf(closed, this.#after)
    return day === '' ? 0 : firstHourOf(dayAfter(day))
  }

  equals(other: CountedHours): boolean {
    const shards = [...this.#afterOfShard.keys(), ...other.#afterOfShard.keys(), -1]
    return shards.every((shard) => this.fromHourOf(shard) === other.fromHourOf(shard))
  }
}

export class Totals {
  readonly #db: Statements
  /** As of the last read. */
  #hours = new CountedHours()

  constructor(db: Statements) {
    this.#db = db
  }

  /** `count` adds up what ClickHouse has from these hours on; it is called again if a day was closed or removed meanwhile. */
  async readWith<Counted>(
    domainNumbers: readonly number[],
    count: (hours: CountedHours) => Promise<Counted>,
  ): Promise<{ readonly totals: readonly ClosedCount[]; readonly counted: Counted }> {
    let assumed = this.#hours
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const counted = await count(assumed)
      const { hours, totals } = await this.#read(domainNumbers)
      this.#hours = hours
      if (hours.equals(assumed)) return { totals, counted }
      assumed = hours
    }
    throw new AppError('storage_unavailable', 'Days are being removed. Send the same request again later.')
  }

  async #read(domainNumbers: readonly number[]): Promise<{ hours: CountedHours; totals: readonly ClosedCount[] }> {
    const row = await this.#db.get<TotalsRow>(READ, domainNumbers)
    const closed = JSON.parse(row?.closed ?? '[]') as [number, string][]
    const totals = JSON.parse(row?.totals ?? '[]') as [number, EventType, number][]
    return {
      hours: new CountedHours(row?.lastDay ?? undefined, closed),
      totals: totals.map(([domain, type, count]) => ({ domain, type, count })),
    }
  }
}
