/** The log in day files: appended by the writing thread, read here, day by day backwards, in slices that share the thread. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EventFilters, EventPage, EventPosition, EventQuery, EventText } from '../../../events/event-query.ts'
import type { AppendResult, AttributedEvent, EventStore } from '../../../events/event-store.ts'
import { type Day, dayOfTimestamp, fromPosition, positionRange, startOfDay, toPosition } from '../days/day.ts'
import type { AppendQueue } from '../writing/append-queue.ts'
import { type EventRow, hashId, toEventRow } from '../writing/event-row.ts'
import type { DayReaders } from './day-readers.ts'
import { toEventSearch } from './event-search.ts'
import type { NewestPages, PlacedEvent } from './newest-pages.ts'

/** How long a search may keep the thread before others get their turn. */
const TURN_MS = 8

/** Events of a large request that are made ready to be stored before others get their turn. */
const ROWS_PER_TURN = 200

/** Larger pages are for exports, which nobody repeats. */
const KEPT_LIMIT_MAX = 100

export class SqliteEventStore implements EventStore {
  readonly #queue: AppendQueue
  readonly #readers: DayReaders
  /** Absent where nobody asks twice. */
  readonly #newest: NewestPages | undefined
  #foreignRevision = 0

  constructor(queue: AppendQueue, readers: DayReaders, newest?: NewestPages) {
    this.#queue = queue
    this.#readers = readers
    this.#newest = newest
  }

  append(events: readonly AttributedEvent[]): Promise<AppendResult> {
    return events.length <= ROWS_PER_TURN ? this.#queue.append(events.map(toEventRow)) : this.#appendMany(events)
  }

  async #appendMany(events: readonly AttributedEvent[]): Promise<AppendResult> {
    const rows: EventRow[] = []
    for (let at = 0; at < events.length; at += ROWS_PER_TURN) {
      if (at > 0) await nextTurn()
      for (const event of events.slice(at, at + ROWS_PER_TURN)) rows.push(toEventRow(event))
    }
    return this.#queue.append(rows)
  }

  async list(query: EventQuery): Promise<EventPage> {
    return this.#findNewest(query) ?? (await this.#search(query))
  }

  /** The page, if it is one of the newest events whatever they are. */
  #findNewest(query: EventQuery): EventPage | undefined {
    const pages = this.#newest
    if (!pages || query.after || query.limit > KEPT_LIMIT_MAX || isFiltered(query.filters)) return undefined
    const days = this.#readers.days()
    if (this.#foreignRevision !== this.#readers.foreignRevision) pages.clear()
    this.#foreignRevision = this.#readers.foreignRevision
    const known = pages.find(query)
    if (known) return known
    const newest = this.#readNewest(days, query)
    if (!newest) return undefined
    pages.keep(query.domainNumber, newest.slice(0, query.limit + 1), newest.length <= query.limit)
    return pages.find(query)
  }

  /** One more than the page has; undefined where the window ends on a day before the newest events. */
  #readNewest(days: readonly Day[], query: EventQuery): readonly PlacedEvent[] | undefined {
    const domain = { number: query.domainNumber, nameJson: JSON.stringify(query.domainName) }
    const search = toEventSearch({})
    const found: PlacedEvent[] = []
    for (const day of days) {
      using lease = this.#readers.lease(day)
      if (!lease?.reader.mayHave(domain.number, search)) continue
      if (found.length === 0 && dayOfTimestamp(query.filters.endTimestamp) < day) return undefined
      const { from, to } = positionRange(day, 0, Number.MAX_SAFE_INTEGER)
      for (const slice of lease.reader.search(domain, search, from, to, query.limit + 1 - found.length)) {
        for (const [position, text] of slice.events) found.push({ place: toEventPosition(day, position), text })
      }
      if (found.length > query.limit) break
    }
    return found
  }

  async #search(query: EventQuery): Promise<EventPage> {
    const domain = { number: query.domainNumber, nameJson: JSON.stringify(query.domainName) }
    const search = toEventSearch(query.filters)
    const deadline = performance.now() + query.budgetMs
    const texts: EventText[] = []
    let last: EventPosition | undefined
    let turnEnds = performance.now() + TURN_MS
    let hasSearched = false
    for (const day of this.#daysOf(query)) {
      using lease = this.#readers.lease(day)
      if (!lease?.reader.mayHave(domain.number, search)) continue
      const { from, to } = rangeOf(query, day)
      if (from >= to) continue
      // At least one slice a request, so that following the token always comes to an end.
      if (hasSearched && performance.now() > deadline) return { events: texts, next: toEventPosition(day, to) }
      hasSearched = true
      // One more than asked for tells whether there is a next page.
      for (const slice of lease.reader.search(domain, search, from, to, query.limit + 1 - texts.length)) {
        for (const [position, text] of slice.events) {
          if (texts.length === query.limit && last) return { events: texts, next: last }
          texts.push(text)
          if (texts.length === query.limit) last = toEventPosition(day, position)
        }
        const now = performance.now()
        if (now > deadline && slice.examinedFrom !== undefined) {
          return { events: texts, next: toEventPosition(day, slice.examinedFrom) }
        }
        if (now > turnEnds) turnEnds = await takeTurn()
      }
      // Finding out that a day has nothing takes time, too.
      if (performance.now() > turnEnds) turnEnds = await takeTurn()
    }
    return { events: texts }
  }

  async listByMessage(domainNumber: number, domainName: string, messageId: string): Promise<readonly EventText[]> {
    const domain = { number: domainNumber, nameJson: JSON.stringify(domainName) }
    const idHash = hashId(messageId)
    const texts: EventText[] = []
    for (const day of this.#readers.days()) {
      using lease = this.#readers.lease(day)
      if (lease) texts.push(...lease.reader.listByMessage(domain, messageId, idHash))
    }
    return texts
  }

  /** Newest first: the days with a file that the window, and what is left of it, touches. */
  #daysOf({ filters, after }: EventQuery): readonly Day[] {
    const newest = dayOfTimestamp(Math.min(filters.endTimestamp, after?.timestamp ?? filters.endTimestamp))
    const oldest = dayOfTimestamp(filters.startTimestamp)
    return this.#readers.days().filter((day) => day <= newest && day >= oldest)
  }
}

/** Lets others have the thread; returns when they should have it again. */
async function takeTurn(): Promise<number> {
  await nextTurn()
  return performance.now() + TURN_MS
}

function isFiltered({ types, responseCode, recipient, sender, from, subject }: EventFilters): boolean {
  return [types, responseCode, recipient, sender, from, subject].some((filter) => filter !== undefined)
}

function rangeOf({ filters, after }: EventQuery, day: Day): { from: number; to: number } {
  const { from, to } = positionRange(day, filters.startTimestamp, filters.endTimestamp)
  if (!after || dayOfTimestamp(after.timestamp) !== day) return { from, to }
  return { from, to: Math.min(to, toPosition(after.timestamp - startOfDay(day), after.arrival)) }
}

function toEventPosition(day: Day, position: number): EventPosition {
  const { secondOfDay, arrival } = fromPosition(position)
  return { timestamp: startOfDay(day) + secondOfDay, arrival }
}
