/** How far each day has grown, looked up again only where a file has changed. */
import type { Database } from '../database/database.ts'
import type { Day } from '../days/day.ts'
import type { DayReaders } from '../reading/day-readers.ts'

export interface DayGrowth {
  /** The last arrival number. */
  readonly arrival: number
  /** When the last commit was made; 0 where none is known. */
  readonly storedAtMs: number
}

const SELECT_GROWTH = `
  SELECT arrival, ifnull((SELECT stored_at_ms FROM arrival_batch ORDER BY first DESC LIMIT 1), 0) AS stored_at_ms
  FROM day`

export class DayArrivals {
  readonly #readers: DayReaders
  readonly #known = new WeakMap<Database, { readonly version: number; readonly growth: DayGrowth }>()

  constructor(readers: DayReaders) {
    this.#readers = readers
  }

  /** Every day that has a file, oldest first. */
  list(): ReadonlyMap<Day, DayGrowth> {
    const growths = new Map<Day, DayGrowth>()
    for (const day of this.#readers.days().toReversed()) {
      using lease = this.#readers.lease(day)
      if (lease) growths.set(day, this.#growthOf(lease.reader.database))
    }
    return growths
  }

  #growthOf(db: Database): DayGrowth {
    // Before the look-up: what is committed in between makes another version.
    const version = db.dataVersion()
    const known = this.#known.get(db)
    if (known?.version === version) return known.growth
    const row = db.get<{ arrival: number; stored_at_ms: number }>(SELECT_GROWTH)
    const growth = { arrival: row?.arrival ?? 0, storedAtMs: row?.stored_at_ms ?? 0 }
    this.#known.set(db, { version, growth })
    return growth
  }
}

/** The arrival number behind which everything was stored later than `timeMs`. */
export function lastArrivalBefore(db: Database, timeMs: number): number {
  let first = Number.MAX_SAFE_INTEGER
  // From the end: what is asked for is recent, and days have many commits.
  for (;;) {
    const rows = db.all<{ first: number; stored_at_ms: number }>(
      'SELECT first, stored_at_ms FROM arrival_batch WHERE first < ? ORDER BY first DESC LIMIT 200',
      first,
    )
    for (const row of rows) {
      if (row.stored_at_ms <= timeMs) return first - 1
      first = row.first
    }
    if (rows.length === 0) return first - 1
  }
}

/** What was stored behind an arrival number, some commits of it, in order. */
export function listBatches(
  db: Database,
  after: number,
): readonly { readonly first: number; readonly events: Uint8Array }[] {
  return db.all<{ first: number; events: Uint8Array }>(
    `SELECT first, events FROM arrival_batch
     WHERE first >= ifnull((SELECT max(first) FROM arrival_batch WHERE first <= ?), 0) ORDER BY first LIMIT 8`,
    after + 1,
  )
}
