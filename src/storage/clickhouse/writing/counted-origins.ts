/** Which origins are counted by themselves: the first ones of each domain and day. What is counted once stays so, and is kept in memory. */
import { ORIGINS_PER_DAY } from '../../../stats/series.ts'
import { numberSet } from '../literals.ts'
import { type CountedOrigins, originsKey } from '../rows/count-rows.ts'
import type { EventRow } from '../rows/event-row.ts'
import type { ClickHouse, ReadSource } from '../server/clickhouse.ts'
import type { Deadline } from './deadline.ts'

const HOURS_PER_DAY = 24
const SECONDS_PER_HOUR = 3600
/** Domains and days that are kept in memory, each with at most 256 origins. */
const KEPT_MAX = 2000

export class OriginLookup {
  readonly #clickHouse: ClickHouse
  /** Origins that are counted already. Other servers may have added more. */
  readonly #kept = new Map<string, ReadonlySet<string>>()

  constructor(clickHouse: ClickHouse) {
    this.#clickHouse = clickHouse
  }

  /** For all domains and days of the rows that have an origin. To be called by the holder of the shard. */
  async find(rows: readonly EventRow[], deadline: Deadline): Promise<CountedOrigins> {
    const found = new Map<string, ReadonlySet<string>>()
    const missing: EventRow[] = []
    for (const row of rows) {
      if (row.origin === '') continue
      const key = originsKey(row.domain, row.event.timestamp)
      const kept = this.#kept.get(key)
      if (kept) found.set(key, kept)
      if (!kept || (!kept.has(row.origin) && kept.size < ORIGINS_PER_DAY)) missing.push(row)
    }
    if (missing.length === 0) return found
    if (this.#kept.size > KEPT_MAX) this.#kept.clear()
    for (const [key, origins] of await this.#read(missing, deadline)) {
      found.set(key, origins)
      this.#kept.set(key, origins)
    }
    return found
  }

  async #read(rows: readonly EventRow[], deadline: Deadline): Promise<CountedOrigins> {
    const domains = new Set(rows.map(({ domain }) => domain))
    const days = rows.map(({ event }) => Math.floor(event.timestamp / SECONDS_PER_HOUR / HOURS_PER_DAY))
    const [from, to] = [days.reduce((a, b) => Math.min(a, b)), days.reduce((a, b) => Math.max(a, b))]
    const toSql = (source: ReadSource) => `SELECT domain, intDiv(hour, ${HOURS_PER_DAY}) AS day, origin
       FROM ${source.from('sending_hour')}
       WHERE domain IN ${numberSet('UInt32', [...domains])} AND ${source.isThere} AND hour >= ${from * HOURS_PER_DAY}
         AND hour < ${(to + 1) * HOURS_PER_DAY} AND origin != ''
       GROUP BY domain, day, origin`
    const found = await deadline.run((signal) =>
      this.#clickHouse.selectOf([...domains], toSql, { mustBeStrict: true, signal }),
    )
    const read = new Map<string, Set<string>>()
    for (const { domain, event } of rows) read.set(originsKey(domain, event.timestamp), new Set())
    for (const [domain, day, origin = ''] of found) read.get(`${domain} ${day}`)?.add(origin)
    return read
  }
}
