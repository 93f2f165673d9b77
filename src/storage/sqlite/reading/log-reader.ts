/**
 * Reads the log from day files: day by day backwards, in slices that share the thread. It takes and returns plain values and
 * learns of commits by message, so that it can run on a thread of its own.
 */
import type {
  EventText,
  LogDomain,
  LogFilters,
  LogPage,
  LogQuery,
  LogWindow,
  MessageQuery,
} from '../../../events/log/log-query.ts'
import { Turn } from '../../../lib/turns/turn.ts'
import { type Day, dayOfTimestamp, positionRange, startOfDay } from '../days/day.ts'
import type { DayCommit } from '../days/day-commit.ts'
import type { NamesJson } from './day-reader.ts'
import type { DayReaders } from './day-readers.ts'
import { type EventPosition, formatPosition, parsePosition, positionOn, toEventPosition } from './log-position.ts'
import { toLogSearch } from './log-search.ts'
import { NewestPages } from './newest-pages.ts'

/** Larger pages are for exports, which are not repeated. */
const KEPT_LIMIT_MAX = 100
/** The year 9999. */
const ALL_TIMES: LogWindow = { startTimestamp: 0, endTimestamp: 253_402_300_799 }

const ALL_EVENTS = toLogSearch({})

type Search = Pick<LogQuery, 'domains' | 'filters' | 'window' | 'after' | 'limit'>

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
  readonly #newest = new NewestPages()

  constructor(readers: DayReaders) {
    this.#readers = readers
  }

  learn(commits: readonly DayCommit[]): void {
    this.#newest.learn(commits)
  }

  /** Days were removed, or the last commits are unknown. */
  forget(): void {
    this.#newest.clear()
  }

  async list(query: LogQuery): Promise<LogPage> {
    const deadline = performance.now() + query.budgetMs
    return (await this.#findNewest(query, deadline)) ?? toPage(await this.#search(query, deadline))
  }

  async listMessage({ messageId, ...query }: MessageQuery): Promise<LogPage> {
    const deadline = performance.now() + query.budgetMs
    return toPage(await this.#search({ ...query, filters: { messageId }, window: ALL_TIMES }, deadline))
  }

  async #search(query: Search, deadline: number): Promise<Found> {
    const { limit, window } = query
    const names = toNamesJson(query.domains)
    const numbers = query.domains.map(({ number }) => number)
    const search = toLogSearch(query.filters)
    const after = query.after === undefined ? undefined : parsePosition(query.after)
    const turn = new Turn()
    const found: FoundOnDay[] = []
    let hasSearched = false
    for (const day of this.#daysOf(window, after)) {
      if (this.#readers.isRuledOut(day, numbers, search)) continue
      // The summary of a day may have to be loaded first.
      if (turn.isOver) await turn.share()
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
        }
        // A day without matches takes time too.
        hasSearched = true
      } finally {
        lease[Symbol.dispose]()
      }
    }
    return { found }
  }

  /** The page, if it is one of the newest events of one domain, unfiltered. */
  async #findNewest(query: LogQuery, deadline: number): Promise<LogPage | undefined> {
    const { domains, filters, after, limit, window } = query
    const [domain] = domains
    if (!domain || domains.length > 1 || after !== undefined || limit > KEPT_LIMIT_MAX || isFiltered(filters))
      return undefined
    const known = this.#newest.find(domain.number, window, limit)
    if (known) return known
    // The newest events are after a window that ends on an earlier day.
    const newestDay = this.#readers.days.find((day) => !this.#readers.isRuledOut(day, [domain.number], ALL_EVENTS))
    if (newestDay === undefined || newestDay > dayOfTimestamp(window.endTimestamp)) return undefined
    const { revision } = this.#newest
    const startTimestamp = startOfDay(dayOfTimestamp(window.startTimestamp))
    const all = { domains, filters, window: { ...ALL_TIMES, startTimestamp }, limit: limit + 1 }
    const { found, end } = await this.#search(all, deadline)
    const isCut = end !== undefined
    if ((isCut && found.length <= limit) || revision !== this.#newest.revision) return undefined
    const events = found.map(({ day, position, text }) => ({ position: toEventPosition(day, position), text }))
    this.#newest.keep(domain.number, events, isCut ? Number.POSITIVE_INFINITY : startTimestamp)
    return this.#newest.find(domain.number, window, limit)
  }

  /** Newest first: the days that the window, or the rest of it, touches. */
  #daysOf({ startTimestamp, endTimestamp }: LogWindow, after: EventPosition | undefined): readonly Day[] {
    const newest = dayOfTimestamp(Math.min(endTimestamp, after?.timestamp ?? endTimestamp))
    const oldest = dayOfTimestamp(startTimestamp)
    return this.#readers.days.filter((day) => day <= newest && day >= oldest)
  }
}

export function toNamesJson(domains: readonly LogDomain[]): NamesJson {
  return new Map(domains.map(({ number, name }) => [number, JSON.stringify(name)]))
}

function toPage({ found, end }: Found): LogPage {
  const events = found.map(({ text }) => text)
  return end ? { events, next: formatPosition(end), searchedTo: end.timestamp } : { events }
}

function isFiltered(filters: LogFilters): boolean {
  return Object.values(filters).some((filter) => filter !== undefined)
}

function rangeOf(day: Day, { startTimestamp, endTimestamp }: LogWindow, after: EventPosition | undefined) {
  const { from, to } = positionRange(day, startTimestamp, endTimestamp)
  return { from, to: Math.min(to, (after && positionOn(day, after)) ?? to) }
}
