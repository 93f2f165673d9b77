/** Reads one day's file: pages of a domain newest first, the events of a message, the day's counts. */
import type { EventText } from '../../../events/event-query.ts'
import type { DomainCounts } from '../../../stats/domain-counts.ts'
import type { Database, SqlValue } from '../database.ts'
import { type Day, startOfDay } from './day.ts'
import {
  type DaySearch,
  planDaySearch,
  type SearchedDay,
  type SearchFilters,
  type SearchThresholds,
} from './day-search.ts'
import { identityRange } from './event-row.ts'
import { EVENT_TABLES, eventText } from './event-text.ts'
import { COUNTED_TYPES, Tallies } from './tallies.ts'
import { defineTextFunctions } from './text-search.ts'
import { TrigramSample } from './trigram-sample.ts'

export type FoundEvent = readonly [position: number, text: EventText]

/** What a search over a day has covered so far. */
export interface DaySlice {
  readonly events: readonly FoundEvent[]
  /** Everything from here on was examined; undefined when the day is done. */
  readonly examinedFrom?: number
}

/** Rows examined by one statement, so that no statement holds up the thread: small at first, as most pages fill at once. */
const FIRST_SLICE = 500
const SLICE_MAX = 16_000

/** SQLite plans with the value of a plain `LIMIT ?` and so prepares the statement anew at every call; not with this. */
const BOUND_LIMIT = 'CAST(? AS INTEGER)'

export class DayReader {
  readonly day: Day
  readonly #db: Database
  readonly #eventText: string
  readonly #searched: SearchedDay
  #counts: { readonly version: number; readonly byDomain: ReadonlyMap<number, DomainCounts> } | undefined

  constructor(day: Day, db: Database, serviceMessageIdField: string, thresholds: SearchThresholds) {
    this.day = day
    this.#db = db
    this.#searched = { db, sample: new TrigramSample(db), thresholds }
    this.#eventText = eventText(serviceMessageIdField)
    defineTextFunctions(db)
  }

  /**
   * Events of the domain from `from` (inclusive) up to `before` (exclusive), newest first, slice by slice until `limit`
   * events are found or the day is done. Between two slices the caller may stop or let others have the thread.
   */
  *search(
    domain: DomainOfSearch,
    filters: SearchFilters,
    from: number,
    before: number,
    limit: number,
  ): Generator<DaySlice> {
    const search = planDaySearch(this.#searched, domain.number, filters)
    if (search.kind === 'nothing') return
    if (search.kind === 'candidates') {
      yield { events: this.#findAmongCandidates(search, domain, from, before, limit) }
      return
    }
    let upper = before
    let sliceRows = FIRST_SLICE
    let missing = limit
    while (missing > 0) {
      const lower = search.isExact ? from : (this.#endOfSlice(search, from, upper, sliceRows) ?? from)
      const events = this.#walk(search, domain, lower, upper, missing)
      missing -= events.length
      if (lower === from) return yield { events }
      yield { events, examinedFrom: lower }
      upper = lower
      sliceRows = Math.min(sliceRows * 4, SLICE_MAX)
    }
  }

  listByMessage(domain: DomainOfSearch, messageId: string): readonly EventText[] {
    const rows = this.#db.allArrays<[number, string]>(
      `SELECT e.position, ${this.#eventText}
       FROM message m INDEXED BY message_by_identity CROSS JOIN event e INDEXED BY event_of_message ON e.message = m.key
       ${EVENT_TABLES}
       WHERE m.identity >= ? AND m.identity < ? AND m.domain = ? AND m.id = ? ORDER BY e.position DESC`,
      ...this.#textValues(domain),
      ...identityRange(messageId),
      domain.number,
      messageId,
    )
    return rows.map(([, text]) => text)
  }

  /** Counts of the types that feed the statistics, by domain; read again only when the file has changed. */
  counts(): ReadonlyMap<number, DomainCounts> {
    const version = this.#db.dataVersion()
    if (this.#counts?.version === version) return this.#counts.byDomain
    const tallies = new Tallies()
    const rows = this.#db.allArrays<[number, number, number, number]>(
      `SELECT domain, type, count, changed_at_ms FROM counter WHERE type IN (${COUNTED_TYPES.join(', ')})`,
    )
    for (const row of rows) tallies.addEvents(...row)
    this.#counts = { version, byDomain: tallies.counts }
    return tallies.counts
  }

  get database(): Database {
    return this.#db
  }

  close(): void {
    this.#db.close()
  }

  #walk(
    search: DaySearch & { kind: 'walk' },
    domain: DomainOfSearch,
    from: number,
    before: number,
    limit: number,
  ): readonly FoundEvent[] {
    return this.#db.allArrays<[number, string]>(
      `SELECT e.position, ${this.#eventText}
       FROM event e INDEXED BY ${search.index} CROSS JOIN message m ON m.key = e.message ${EVENT_TABLES}
       WHERE ${search.indexed.sql} AND e.position >= ? AND e.position < ? ${and(search.residual.sql)}
       ORDER BY e.position DESC LIMIT ${BOUND_LIMIT}`,
      ...this.#textValues(domain),
      ...search.indexed.values,
      from,
      before,
      ...search.residual.values,
      limit,
    )
  }

  /** The position that closes a slice of so many rows; undefined when fewer are left. */
  #endOfSlice(search: DaySearch & { kind: 'walk' }, from: number, before: number, rows: number): number | undefined {
    return this.#db.get<{ position: number }>(
      `SELECT e.position FROM event e INDEXED BY ${search.index}
       WHERE ${search.indexed.sql} AND e.position >= ? AND e.position < ? ORDER BY e.position DESC LIMIT 1 OFFSET ?`,
      ...search.indexed.values,
      from,
      before,
      rows - 1,
    )?.position
  }

  /** Sorts, but only the events of a bounded number of messages. */
  #findAmongCandidates(
    search: DaySearch & { kind: 'candidates' },
    domain: DomainOfSearch,
    from: number,
    before: number,
    limit: number,
  ): readonly FoundEvent[] {
    return this.#db.allArrays<[number, string]>(
      `SELECT e.position, ${this.#eventText}
       FROM json_each(?) k CROSS JOIN message m ON m.key = k.value
       CROSS JOIN event e INDEXED BY event_of_message ON e.message = m.key ${EVENT_TABLES}
       WHERE e.domain = ? AND e.position >= ? AND e.position < ? ${and(search.residual.sql)}
       ORDER BY e.position DESC LIMIT ${BOUND_LIMIT}`,
      ...this.#textValues(domain),
      JSON.stringify(search.messages),
      domain.number,
      from,
      before,
      ...search.residual.values,
      limit,
    )
  }

  #textValues(domain: DomainOfSearch): SqlValue[] {
    return [startOfDay(this.day), domain.nameJson]
  }
}

export interface DomainOfSearch {
  readonly number: number
  /** The name as a JSON string, as it goes into each event's text. */
  readonly nameJson: string
}

function and(condition: string): string {
  return condition === '' ? '' : `AND ${condition}`
}
