/**
 * Counts of removed days, which are in PostgreSQL, together with those of the other days, which are in ClickHouse.
 *
 * A day is added to the totals in the same transaction that moves the hour from which ClickHouse counts, and its partition is
 * dropped after that. So if the hour is still the same after ClickHouse was read, the day was not dropped before it, and rows below
 * the hour were ignored: every event is counted exactly once, whatever retention does meanwhile.
 */
import type { EventType } from '../../../events/event.ts'
import { AppError } from '../../../lib/app-error.ts'
import type { Statements } from '../../postgres/database/postgres.ts'

const HOURS_PER_DAY = 24
const MS_PER_HOUR = 3_600_000
/** The hour moves once a day; more often only when retention catches up. */
const ATTEMPTS = 20

const READ = `
  SELECT (SELECT max(day) FROM folded_day) AS "lastDay",
    (SELECT coalesce(json_agg(json_build_array(domain_number, type, count)), '[]')::text
     FROM total WHERE domain_number = ANY ($1)) AS totals`

export interface Total {
  readonly domain: number
  readonly type: EventType
  readonly count: number
}

export class Totals {
  readonly #db: Statements
  /** As of the last read. */
  #fromHour = 0

  constructor(db: Statements) {
    this.#db = db
  }

  /** `count` adds up what ClickHouse has from this hour on; it is called again if a day was removed meanwhile. */
  async readWith<Counted>(
    domainNumbers: readonly number[],
    count: (fromHour: number) => Promise<Counted>,
  ): Promise<{ readonly totals: readonly Total[]; readonly counted: Counted }> {
    let assumed = this.#fromHour
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const counted = await count(assumed)
      const { fromHour, totals } = await this.#read(domainNumbers)
      this.#fromHour = fromHour
      if (fromHour === assumed) return { totals, counted }
      assumed = fromHour
    }
    throw new AppError('storage_unavailable', 'Days are being removed. Send the same request again later.')
  }

  async #read(domainNumbers: readonly number[]): Promise<{ fromHour: number; totals: readonly Total[] }> {
    const row = await this.#db.get<{ lastDay: string | null; totals: string }>(READ, domainNumbers)
    const lastDay = row?.lastDay ?? undefined
    const rows = JSON.parse(row?.totals ?? '[]') as [number, EventType, number][]
    return {
      fromHour: lastDay === undefined ? 0 : Date.parse(lastDay) / MS_PER_HOUR + HOURS_PER_DAY,
      totals: rows.map(([domain, type, count]) => ({ domain, type, count })),
    }
  }
}
