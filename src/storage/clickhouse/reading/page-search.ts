/** One search for a page: backwards in spans of time, until the page is full, the window is done or the budget is used up. */
import type { LogPage, LogQuery } from '../../../events/log/log-query.ts'
import { replyTestOf } from '../../../events/replies/reply-filter.ts'
import { literal } from '../literals.ts'
import { contentOf, EventTexts, eventColumns, type ReadEvent } from '../rows/event-text.ts'
import { BudgetError, type ClickHouse, type ReadSource } from '../server/clickhouse.ts'
import { eventFilter } from '../server/features.ts'
import { domainCondition, toConditions } from './conditions.ts'
import { type DayVolumes, spanHolding } from './day-volumes.ts'
import { type EventPosition, formatPosition } from './log-position.ts'
import { type KnownSpans, LONGEST_SPAN, longerSpan, shorterSpan, spanFor, spanStart } from './search-spans.ts'
import { SearchTime } from './search-time.ts'

export interface SearchContext {
  readonly clickHouse: ClickHouse
  readonly serviceMessageIdField: string
  readonly spans: KnownSpans
  readonly volumes: DayVolumes
  readonly settings?: Readonly<Record<string, number>>
}

export type LogSearch = Omit<LogQuery, 'tenantId' | 'isContinuation'>

/** Above every arrival number. */
const ABOVE_ALL = Number.MAX_SAFE_INTEGER
/** Events of one second that are examined at a time if the whole second takes too long, and after that. */
const SLICES = [20_000, 4000, 1000]
/** Events that a first statement with filters may examine: it takes hardly longer than one that examines a few. */
const EXAMINED = 5000

/** From the upper end, which is excluded, to the lower, which is included. */
interface Stretch {
  readonly before: EventPosition
  readonly from: EventPosition
}

export class PageSearch {
  readonly #context: SearchContext
  readonly #search: LogSearch
  readonly #texts: EventTexts
  readonly #numbers: readonly number[]
  readonly #ofDomains: string
  readonly #conditions: readonly string[]
  readonly #isReplyWanted: ((content: string) => boolean) | undefined
  readonly #time: SearchTime
  readonly #found: ReadEvent[] = []
  #hasSearched = false

  constructor(context: SearchContext, search: LogSearch) {
    this.#context = context
    this.#search = search
    this.#texts = new EventTexts(context.serviceMessageIdField, search.domains, search.shown)
    this.#numbers = search.domains.map(({ number }) => number)
    this.#ofDomains = domainCondition(this.#numbers)
    this.#conditions = toConditions(search.filters)
    this.#isReplyWanted = replyTestOf(search.filters)
    this.#time = new SearchTime(search.budgetMs)
  }

  async run(after: EventPosition | undefined): Promise<LogPage> {
    const { limit, window } = this.#search
    const first = firstPosition(window.endTimestamp, after)
    let before = first
    let span = await this.#firstSpan(first, after)
    /** Index in SLICES, while a second is searched in slices. */
    let slice = -1
    while (before.timestamp >= window.startTimestamp) {
      if (this.#hasSearched && this.#time.isUsedUp) return this.#cut(before, span)
      const oldest = Math.max(window.startTimestamp, spanStart(before.timestamp, span))
      const from = { timestamp: oldest, arrival: slice < 0 ? 0 : await this.#endOfSlice(before, slice) }
      const wanted = limit + 1 - this.#found.length
      const rows = await this.#attempt({ before, from }, wanted)
      if (!rows) {
        if (this.#hasSearched) return this.#cut(before, shorterSpan(span))
        if (oldest === before.timestamp) slice = Math.min(slice + 1, SLICES.length - 1)
        span = shorterSpan(before.timestamp - oldest + 1)
        continue
      }
      const last = this.#take(rows)
      if (this.#found.length > limit) return this.#full(first)
      // The server's limit may have been used up by rows that are there twice.
      before = last && rows.length === wanted ? last : normalize(from)
      if (before.timestamp !== oldest) slice = -1
      if (slice < 0) span = await this.#longerSpan(span, rows.length, before)
      this.#hasSearched = true
    }
    this.#learn(first.timestamp - window.startTimestamp, Math.max(1, this.#found.length))
    return { events: this.#found.map(({ text }) => text) }
  }

  get #isFiltered(): boolean {
    return this.#conditions.length > 0
  }

  async #firstSpan({ timestamp }: EventPosition, after: EventPosition | undefined): Promise<number> {
    const { filters, limit, domains } = this.#search
    if (after?.span !== undefined) return after.span
    // Where the events of a message are is not known, and few columns are read to find them.
    if (filters.messageId !== undefined) return LONGEST_SPAN
    const { spans, volumes } = this.#context
    const span = spans.find(this.#search, limit + 1)
    const known = this.#isFiltered ? await volumes.find(domains) : undefined
    return known ? Math.max(span, spanHolding(known, timestamp, EXAMINED)) : span
  }

  /** After a span with fewer events than are wanted, up to `before`. */
  async #longerSpan(span: number, found: number, { timestamp }: EventPosition): Promise<number> {
    const { domains, limit, window } = this.#search
    const longer = longerSpan(span, found, limit + 1 - this.#found.length, this.#isFiltered)
    if (!this.#isFiltered || this.#time.isUsedUp || timestamp - longer < window.startTimestamp) return longer
    const volumes = await this.#context.volumes.read(domains)
    return volumes ? Math.max(longer, spanHolding(volumes, timestamp, EXAMINED)) : longer
  }

  /** Undefined if it took too long. */
  async #attempt({ before, from }: Stretch, limit: number): Promise<readonly (readonly string[])[] | undefined> {
    const { clickHouse, settings } = this.#context
    const { shown = 'interface', signal } = this.#search
    const where = [this.#ofDomains, ...within({ before, from }), ...this.#conditions].join(' AND ')
    const toSql = (source: ReadSource) => `SELECT ${eventColumns(shown)} FROM ${source.from('event')}
      ${eventFilter(clickHouse.version)} ${where} AND ${source.isThere}
      ORDER BY timestamp DESC, arrival DESC LIMIT ${literal(limit)}`
    try {
      const rows = await clickHouse.selectOf(this.#numbers, toSql, {
        budgetMs: this.#time.next(this.#hasSearched),
        signal,
        ...(settings && { settings }),
      })
      this.#time.succeed()
      return rows
    } catch (error) {
      if (!(error instanceof BudgetError)) throw error
      this.#time.fail(error)
      return undefined
    }
  }

  /** The arrival number of the last event of a slice; 0 if it is the rest of the second. */
  async #endOfSlice(before: EventPosition, slice: number): Promise<number> {
    const { clickHouse } = this.#context
    const from = { timestamp: before.timestamp, arrival: 0 }
    const where = [this.#ofDomains, ...within({ before, from })].join(' AND ')
    const toSql = (
      source: ReadSource,
    ) => `SELECT arrival FROM ${source.from('event')} WHERE ${where} AND ${source.isThere}
       ORDER BY arrival DESC LIMIT ${literal((SLICES[slice] ?? 1) - 1)}, 1`
    const [row] = await clickHouse.selectOf(this.#numbers, toSql, { signal: this.#search.signal })
    return Number(row?.[0] ?? 0)
  }

  /** Returns the last of them. Events are never stored twice, but a backup may have been restored over them. */
  #take(rows: readonly (readonly string[])[]): ReadEvent | undefined {
    let last: ReadEvent | undefined
    for (const row of rows) {
      const event = this.#texts.read(row)
      const isWanted = this.#isReplyWanted?.(contentOf(row)) !== false
      if (isWanted && event.arrival !== last?.arrival) this.#found.push(event)
      last = event
    }
    return last
  }

  #full(first: EventPosition): LogPage {
    const events = this.#found.slice(0, this.#search.limit)
    const last = events.at(-1) ?? first
    // The page needs the event after it, too: it shows that the page is not the last one.
    this.#learn(secondsFrom(first, this.#found.at(events.length) ?? last), events.length + 1)
    const span = spanFor(this.#search.limit + 1, secondsFrom(first, last) / events.length)
    return this.#pageTo(events, { ...positionOf(last), span })
  }

  #cut(before: EventPosition, span: number): LogPage {
    return this.#pageTo(this.#found, { ...before, span })
  }

  #pageTo(events: readonly ReadEvent[], { timestamp, arrival, span = 1 }: EventPosition): LogPage {
    // Everything of the second that follows was searched, nothing of this one.
    const isWhole = arrival === ABOVE_ALL
    const next = formatPosition({
      timestamp: isWhole ? timestamp + 1 : timestamp,
      arrival: isWhole ? 0 : arrival,
      span,
    })
    return { events: events.map(({ text }) => text), next, searchedTo: isWhole ? timestamp + 1 : timestamp }
  }

  #learn(seconds: number, events: number): void {
    if (this.#search.after === undefined) this.#context.spans.learn(this.#search, seconds / events)
  }
}

function firstPosition(endTimestamp: number, after: EventPosition | undefined): EventPosition {
  return after && after.timestamp <= endTimestamp ? normalize(after) : { timestamp: endTimestamp, arrival: ABOVE_ALL }
}

function secondsFrom(newest: EventPosition, oldest: EventPosition): number {
  return newest.timestamp - oldest.timestamp + 1
}

function positionOf({ timestamp, arrival }: EventPosition): EventPosition {
  return { timestamp, arrival }
}

/** Before the first event of a second is after the last of the second before. */
function normalize({ timestamp, arrival }: EventPosition): EventPosition {
  return arrival === 0 ? { timestamp: timestamp - 1, arrival: ABOVE_ALL } : { timestamp, arrival }
}

function within({ before, from }: Stretch): readonly string[] {
  return [
    from.timestamp === before.timestamp
      ? `timestamp = ${literal(before.timestamp)}`
      : `timestamp >= ${literal(from.timestamp)} AND timestamp <= ${literal(before.timestamp)}`,
    ...(before.arrival === ABOVE_ALL
      ? []
      : [`(timestamp < ${literal(before.timestamp)} OR arrival < ${literal(before.arrival)})`]),
    ...(from.arrival === 0 ? [] : [`arrival >= ${literal(from.arrival)}`]),
  ]
}
