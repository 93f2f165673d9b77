/** The log over several domains in day files: newest first in slices that share the thread, or in order of arrival. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EventPosition, EventText } from '../../../events/event-query.ts'
import type { LogDomain, LogPage, LogQuery } from '../../../events/log-query.ts'
import type { ArrivalPlace, ArrivalQuery, Arrivals, TenantLog } from '../../../events/tenant-log.ts'
import type { Clock } from '../../../lib/clock.ts'
import { formatPlace, parsePlace } from '../arrivals/arrival-place.ts'
import { DayFollower, listGrown, placeAtEnd, withDay } from '../arrivals/arrival-search.ts'
import { DayArrivals } from '../arrivals/day-arrivals.ts'
import { type Day, dayOfTimestamp, fromPosition, positionRange, startOfDay, toPosition } from '../days/day.ts'
import type { DayReader } from './day-reader.ts'
import type { DayReaders } from './day-readers.ts'
import { eventColumns } from './event-text.ts'
import type { LogThresholds } from './log-day-plan.ts'
import { LogDayReader, type NamesJson } from './log-day-reader.ts'

/** How long a search may keep the thread before others get their turn. */
const TURN_MS = 8

export interface SqliteTenantLogOptions {
  readonly readers: DayReaders
  readonly clock: Clock
  readonly serviceMessageIdField: string
  readonly thresholds: LogThresholds
}

export class SqliteTenantLog implements TenantLog {
  readonly #readers: DayReaders
  readonly #clock: Clock
  readonly #columns: string
  readonly #thresholds: LogThresholds
  readonly #arrivals: DayArrivals
  readonly #listeners = new Set<() => void>()

  constructor({ readers, clock, serviceMessageIdField, thresholds }: SqliteTenantLogOptions) {
    this.#readers = readers
    this.#clock = clock
    this.#columns = eventColumns(serviceMessageIdField)
    this.#thresholds = thresholds
    this.#arrivals = new DayArrivals(readers)
  }

  async list(query: LogQuery): Promise<LogPage> {
    const names = toNamesJson(query.domains)
    const deadline = performance.now() + query.budgetMs
    const turn = new Turn()
    const texts: EventText[] = []
    let last: EventPosition | undefined
    let hasSearched = false
    for (const day of this.#daysOf(query)) {
      using lease = this.#readers.lease(day)
      const { from, to } = rangeOf(query, day)
      if (!lease || from >= to) continue
      // At least one slice a request, so that following the cursor always comes to an end.
      if (hasSearched && performance.now() > deadline) return { events: texts, next: toEventPosition(day, to) }
      hasSearched = true
      const reader = this.#logReader(lease.reader, names)
      // One more than asked for tells whether there is a next page.
      for (const slice of reader.search(query.conditions, from, to, query.limit + 1 - texts.length)) {
        for (const [position, text] of slice.events) {
          if (texts.length === query.limit && last) return { events: texts, next: last }
          texts.push(text)
          if (texts.length === query.limit) last = toEventPosition(day, position)
        }
        if (slice.examinedFrom !== undefined && performance.now() > deadline) {
          return { events: texts, next: toEventPosition(day, slice.examinedFrom) }
        }
        await turn.share()
      }
      await turn.share()
    }
    return { events: texts }
  }

  async listByMessage(domains: readonly LogDomain[], messageId: string, limit: number): Promise<readonly EventText[]> {
    const names = toNamesJson(domains)
    const turn = new Turn()
    const texts: EventText[] = []
    for (const day of this.#readers.days()) {
      using lease = this.#readers.lease(day)
      if (lease) texts.push(...this.#logReader(lease.reader, names).listByMessage(messageId, limit - texts.length))
      if (texts.length === limit) break
      await turn.share()
    }
    return texts
  }

  async lastArrival(): Promise<ArrivalPlace> {
    return formatPlace(placeAtEnd(this.#arrivals.list(), this.#clock()))
  }

  async listArrivals(query: ArrivalQuery): Promise<Arrivals> {
    const names = toNamesJson(query.domains)
    const deadline = performance.now() + query.budgetMs
    const turn = new Turn()
    let place = parsePlace(query.after)
    // Before the growth is looked at, so that nothing is stamped earlier and seen later than that.
    const nowMs = this.#clock()
    const growths = this.#arrivals.list()
    const events: Arrivals['events'][number][] = []
    for (const [day, until] of listGrown(place, growths)) {
      using lease = this.#readers.lease(day)
      if (!lease) continue
      const reader = this.#logReader(lease.reader, names)
      const follower = new DayFollower(day, lease.reader.database, reader, query, place, until)
      while (!follower.isDone) {
        if (events.length >= query.limit || performance.now() > deadline) {
          return { events, place: formatPlace(place), hasMore: true }
        }
        events.push(...follower.step(place, query.limit - events.length))
        place = withDay(place, day, follower.read)
        await turn.share()
      }
    }
    return { events, place: formatPlace(placeAtEnd(growths, nowMs)), hasMore: false }
  }

  onArrival(listener: () => void): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }

  /** To be called when something was stored. */
  announceArrival(): void {
    for (const listener of this.#listeners) listener()
  }

  #logReader(reader: DayReader, names: NamesJson): LogDayReader {
    const { database: db, day, summary, candidates, texts } = reader
    return new LogDayReader(day, { db, summary, candidates, texts, thresholds: this.#thresholds }, this.#columns, names)
  }

  /** Newest first: the days with a file that the window, and what is left of it, touches. */
  #daysOf({ window, after }: LogQuery): readonly Day[] {
    const newest = dayOfTimestamp(Math.min(window.endTimestamp, after?.timestamp ?? window.endTimestamp))
    const oldest = dayOfTimestamp(window.startTimestamp)
    return this.#readers.days().filter((day) => day <= newest && day >= oldest)
  }
}

/** A turn on the thread, given up when it has lasted long enough. */
class Turn {
  #endsAt = performance.now() + TURN_MS

  async share(): Promise<void> {
    if (performance.now() <= this.#endsAt) return
    await nextTurn()
    this.#endsAt = performance.now() + TURN_MS
  }
}

function toNamesJson(domains: readonly LogDomain[]): NamesJson {
  return new Map(domains.map(({ number, name }) => [number, JSON.stringify(name)]))
}

function rangeOf({ window, after }: LogQuery, day: Day): { from: number; to: number } {
  const { from, to } = positionRange(day, window.startTimestamp, window.endTimestamp)
  if (!after || dayOfTimestamp(after.timestamp) !== day) return { from, to }
  return { from, to: Math.min(to, toPosition(after.timestamp - startOfDay(day), after.arrival)) }
}

function toEventPosition(day: Day, position: number): EventPosition {
  const { secondOfDay, arrival } = fromPosition(position)
  return { timestamp: startOfDay(day) + secondOfDay, arrival }
}
