/** Reads the log from day files: day by day backwards, in slices that share the thread. */
import type { EventText, LogDomain, LogPage, LogQuery, LogWindow, MessageQuery } from '../../../events/log/log-query.ts'
import { Turn } from '../../../lib/turns/turn.ts'
import { type Day, dayOfTimestamp, positionRange, startOfDay } from '../days/day.ts'
import { type NewestEvents, pageOfNewest } from '../newest/newest-list.ts'
import type { PositionedEvent } from '../newest/newest-pages.ts'
import type { NamesJson } from './day-reader.ts'
import type { DayReaders } from './day-readers.ts'
import { type EventPosition, formatPosition, parsePosition, positionOn, toEventPosition } from './log-position.ts'
import { type LogSearch, toLogSearch } from './log-search.ts'

/** The year 9999. */
const ALL_TIMES: LogWindow = { startTimestamp: 0, endTimestamp: 253_402_300_799 }

const ALL_EVENTS = toLogSearch({})

/** Of one domain, unfiltered and from the end of the window. */
export type NewestQuery = Pick<LogQuery, 'window' | 'limit' | 'budgetMs' | 'shown'> & { readonly domain: LogDomain }

type Search = Pick<LogQuery, 'domains' | 'filters' | 'window' | 'after' | 'limit' | 'shown'>

interface FoundOnDay {
  readonly day: Day
  readonly position: number
  readonly text: EventText
}

interface Found {
  readonly found: readonly FoundOnDay[]
  /** Everything up to here was searched; undefined when the window is done. */
  readonly end?: EventPosition
}

export class LogReader {
  readonly #readers: DayReaders

  constructor(readers: DayReaders) {
    this.#readers = readers
  }

  /** Rejects between two slices when the signal aborts. */
  async list(query: LogQuery, signal?: AbortSignal): Promise<LogPage> {
    return toPage(await this.#search(query, performance.now() + query.budgetMs, signal))
  }

  async listMessage({ messageId, ...query }: MessageQuery): Promise<LogPage> {
    const deadline = performance.now() + query.budgetMs
    return toPage(await this.#search({ ...query, filters: { messageId }, window: ALL_TIMES }, deadline))
  }

  async #search(query: Search, deadline: number, signal?: AbortSignal): Promise<Found> {
    const { limit, window } = query
    const names = toNamesJson(query.domains)
    const numbers = query.domains.map(({ number }) => number)
    const search = toLogSearch(query.filters, query.shown)
    const after = query.after === undefined ? undefined : parsePosition(query.after)
    const turn = new Turn()
    const found: FoundOnDay[] = []
    let hasSearched = false
    for (const day of this.#candidates(numbers, search, window, after)) {
      // The summary of a day may have to be loaded first.
      if (turn.isOver) await turn.share()
      if (day === undefined) {
        signal?.throwIfAborted()
        continue
      }
      const lease = this.#readers.lease(day)
      if (!lease) continue
      // Not `using`, which takes longer than the rest of this loop.
      try {
        if (!lease.reader.mayHave(numbers, search)) continue
        const { from, to } = rangeOf(day, window, after)
        if (from >= to) continue
        // At least one slice or day per request, so that following the positions always reaches the end.
        if (hasSearched && performance.now() > deadline) return { found, end: toEventPosition(day, to) }
        // One more than the page needs: it shows whether there is a next page.
        const extent = { from, before: to, limit: limit + 1 - found.length }
        for (const { events, examinedFrom } of lease.reader.search(names, search, extent)) {
          hasSearched = true
          for (const [position, text] of events) {
            const last = found.at(-1)
            if (found.length === limit && last) return { found, end: toEventPosition(last.day, last.position) }
            found.push({ day, position, text })
          }
          if (examinedFrom !== undefined && performance.now() > deadline) {
            return { found, end: toEventPosition(day, examinedFrom) }
          }
          if (turn.isOver) await turn.share()
          signal?.throwIfAborted()
        }
        // A day without matches takes time too.
        hasSearched = true
      } finally {
        lease[Symbol.dispose]()
      }
    }
    return { found }
  }

  /** The newest events of a domain, if they suffice for the page; otherwise the page. */
  async listNewest({
    domain,
    window,
    limit,
    budgetMs,
    shown = 'interface',
  }: NewestQuery): Promise<NewestEvents<PositionedEvent> | LogPage> {
    const deadline = performance.now() + budgetMs
    const domains = [domain]
    const newest = await this.#findNewest({ domains, window, limit, shown }, deadline)
    if (newest && pageOfNewest(newest, window, limit, ({ text }) => text)) return newest
    return toPage(await this.#search({ domains, filters: {}, window, limit, shown }, deadline))
  }

  async #findNewest(
    query: Omit<Search, 'filters'>,
    deadline: number,
  ): Promise<NewestEvents<PositionedEvent> | undefined> {
    const { domains, window, limit } = query
    const numbers = domains.map(({ number }) => number)
    // The newest events are after a window that ends on an earlier day.
    const newestDay = await this.#findNewestDay(numbers)
    if (newestDay === undefined || newestDay > dayOfTimestamp(window.endTimestamp)) return undefined
    const startTimestamp = startOfDay(dayOfTimestamp(window.startTimestamp))
    const all = { ...query, filters: {}, window: { ...ALL_TIMES, startTimestamp }, limit: limit + 1 }
    const { found, end } = await this.#search(all, deadline)
    const isCut = end !== undefined
    if (isCut && found.length <= limit) return undefined
    const events = found.map(({ day, position, text }) => ({ position: toEventPosition(day, position), text }))
    return { events, completeFrom: isCut ? Number.POSITIVE_INFINITY : startTimestamp }
  }

  async #findNewestDay(domains: readonly number[]): Promise<Day | undefined> {
    const turn = new Turn()
    for (const day of this.#candidates(domains, ALL_EVENTS, ALL_TIMES)) {
      if (day !== undefined) return day
      await turn.share()
    }
    return undefined
  }

  /** Newest first: of the window, or the rest of it. */
  #candidates(
    domains: readonly number[],
    search: LogSearch,
    { startTimestamp, endTimestamp }: LogWindow,
    after?: EventPosition,
  ): Generator<Day | undefined> {
    const newest = dayOfTimestamp(Math.min(endTimestamp, after?.timestamp ?? endTimestamp))
    return this.#readers.candidates(domains, search, dayOfTimestamp(startTimestamp), newest)
  }
}

export function toNamesJson(domains: readonly LogDomain[]): NamesJson {
  return new Map(domains.map(({ number, name }) => [number, JSON.stringify(name)]))
}

function toPage({ found, end }: Found): LogPage {
  const events = found.map(({ text }) => text)
  return end ? { events, next: formatPosition(end), searchedTo: end.timestamp } : { events }
}

function rangeOf(day: Day, { startTimestamp, endTimestamp }: LogWindow, after: EventPosition | undefined) {
  const { from, to } = positionRange(day, startTimestamp, endTimestamp)
  return { from, to: Math.min(to, (after && positionOn(day, after)) ?? to) }
}
