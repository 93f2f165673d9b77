/**
 * Origins by which the events of a domain are counted in one day. Their number is limited, because anything may be reported as an
 * origin: the first ones of the day are counted, and from then on all of their events; events of further origins are counted together.
 */
import { Recent } from '../../../lib/recent.ts'
import { ORIGINS_PER_DAY } from '../../../stats/series.ts'
import type { Database } from '../database/database.ts'

/** Stands for all origins beyond the limit. */
export const OTHER_ORIGINS_KEY = 0

/** Domains whose origins are remembered. */
const DOMAINS_MAX = 2000

/** One look-up for each origin, however many counts it has. */
const LIST_COUNTED = `
  WITH RECURSIVE counted (origin) AS (
    SELECT min(origin) FROM sending_per_hour WHERE domain = ?1
    UNION ALL
    SELECT (SELECT min(s.origin) FROM sending_per_hour s WHERE s.domain = ?1 AND s.origin > counted.origin)
    FROM counted WHERE counted.origin IS NOT NULL)
  SELECT origin FROM counted WHERE origin <> ${OTHER_ORIGINS_KEY}`

export class CountedOrigins {
  readonly #db: Database
  readonly #ofDomain = new Recent<Set<number>, number>(DOMAINS_MAX)

  constructor(db: Database) {
    this.#db = db
  }

  /** The origin to count an event of the domain by. */
  choose(domain: number, origin: number): number {
    const counted = this.#ofDomain.findOrKeep(domain, () => this.#load(domain))
    if (counted.has(origin)) return origin
    if (counted.size >= ORIGINS_PER_DAY) return OTHER_ORIGINS_KEY
    counted.add(origin)
    return origin
  }

  /** After a rollback, or after rows were removed. */
  forget(): void {
    this.#ofDomain.clear()
  }

  #load(domain: number): Set<number> {
    return new Set(this.#db.allArrays<[number]>(LIST_COUNTED, domain).map(([origin]) => origin))
  }
}
