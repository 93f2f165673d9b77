/** The event log as a list in memory: slow and obvious. It is the specification that other engines are compared with. */
import type {
  AppendResult,
  ArrivalPage,
  ArrivalQuery,
  Arrivals,
  AttributedEvent,
  EventLog,
} from '../../events/log/event-log.ts'
import type { LogDomain, LogPage, LogQuery, LogWindow, MessageQuery, PageQuery } from '../../events/log/log-query.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Clock } from '../../lib/clock.ts'
import { COUNTER_OF_TYPE, type DomainCounts } from '../../stats/domain-counts.ts'
import type { EventCounts } from '../../stats/event-counts.ts'
import type { HourCount, SeriesGroup, SeriesQuery } from '../../stats/series.ts'
import { isWithin, matches } from './event-matching.ts'
import type { MemoryState, StoredEvent } from './memory-state.ts'

const ALL_TIMES: LogWindow = { startTimestamp: 0, endTimestamp: Number.MAX_SAFE_INTEGER }
/** Events that are examined before the budget is checked. */
const SLICE_EVENTS = 500
const HOUR_SECONDS = 3600
const DAY_MS = 86_400_000

export class MemoryEventLog implements EventLog, EventCounts {
  readonly arrivals: Arrivals
  readonly #state: MemoryState
  readonly #clock: Clock
  readonly #serviceMessageIdField: string

  constructor(state: MemoryState, clock: Clock, serviceMessageIdField: string) {
    this.#state = state
    this.#clock = clock
    this.#serviceMessageIdField = serviceMessageIdField
    this.arrivals = {
      last: async () => String(state.lastArrival),
      list: async (query) => this.#listArrivals(query),
      onArrival: (listener) => {
        state.listeners.add(listener)
        return { [Symbol.dispose]: () => void state.listeners.delete(listener) }
      },
    }
  }

  async append(events: readonly AttributedEvent[]): Promise<AppendResult> {
    const state = this.#state
    if (state.isBroken) throw new AppError('storage_unavailable', 'Storage cannot be written at the moment.')
    const stored: StoredEvent[] = []
    const expired: number[] = []
    for (const [index, attributed] of events.entries()) {
      const day = dayOf(attributed.event.timestamp)
      if (state.removedDays.has(day)) expired.push(index)
      else if (!state.known.has(identityOf(attributed))) {
        state.known.add(identityOf(attributed))
        stored.push({ ...attributed, arrival: ++state.lastArrival, day })
      }
    }
    state.events = [...state.events, ...stored]
    for (const event of stored) this.#count(event)
    if (stored.length > 0) for (const listener of state.listeners) listener()
    return { stored: stored.length, duplicates: events.length - stored.length - expired.length, expired }
  }

  async list({ filters, window, ...query }: LogQuery): Promise<LogPage> {
    return this.#page(query, (event) => isWithin(event.event, window) && matches(event.event, filters))
  }

  async listMessage({ messageId, ...query }: MessageQuery): Promise<LogPage> {
    return this.list({ ...query, filters: { messageId }, window: ALL_TIMES })
  }

  async removeBefore(timeMs: number): Promise<readonly string[]> {
    const state = this.#state
    const isExpired = ({ day }: StoredEvent) => Date.parse(day) + DAY_MS <= timeMs
    const days = new Set(state.events.filter(isExpired).map(({ day }) => day))
    for (const day of days) state.removedDays.add(day)
    state.events = state.events.filter((event) => !isExpired(event))
    return [...days].sort()
  }

  async findNewestTimestamp(): Promise<number | undefined> {
    const timestamps = this.#state.events.map(({ event }) => event.timestamp)
    return timestamps.length === 0 ? undefined : timestamps.reduce((a, b) => Math.max(a, b))
  }

  async counts(domainNumbers: readonly number[]): Promise<ReadonlyMap<number, DomainCounts>> {
    const found = domainNumbers.flatMap((number): [number, DomainCounts][] => {
      const counts = this.#state.counts.get(number)
      return counts ? [[number, counts]] : []
    })
    return new Map(found)
  }

  async *series(query: SeriesQuery): AsyncGenerator<readonly HourCount[]> {
    const { types, providers, classifications } = query.filters
    yield this.#state.events.flatMap(({ domainNumber, event }): HourCount[] => {
      const hour = Math.floor(event.timestamp / HOUR_SECONDS)
      const isCounted =
        query.domainNumbers.includes(domainNumber) &&
        hour >= query.fromHour &&
        hour < query.toHour &&
        (types === undefined || types.includes(event.type)) &&
        (providers === undefined || providers.includes(event.provider_name ?? '')) &&
        (classifications === undefined || classifications.includes(event.bounce_classification ?? ''))
      return isCounted ? [{ hour, key: keyOf(query.group, { domainNumber, event }), count: 1 }] : []
    })
  }

  #page({ domains, limit, after, budgetMs }: PageQuery, isWanted: (event: StoredEvent) => boolean): LogPage {
    const deadline = performance.now() + budgetMs
    const rest = this.#state.events
      .toSorted(newestFirst)
      .filter((event) => after === undefined || isAfter(event, after))
    const events: string[] = []
    let last: StoredEvent | undefined
    for (const [index, stored] of rest.entries()) {
      const isOutOfTime = index > 0 && index % SLICE_EVENTS === 0 && performance.now() > deadline
      const text = isWanted(stored) ? this.#toText(stored, domains) : undefined
      if (last && (isOutOfTime || (text !== undefined && events.length === limit))) {
        return { events, next: positionOf(last), searchedTo: last.event.timestamp }
      }
      if (text !== undefined) events.push(text)
      if (events.length < limit || text !== undefined) last = stored
    }
    return { events }
  }

  #listArrivals({ domains, filters, after, limit }: ArrivalQuery): ArrivalPage {
    if (!/^\d{1,15}$/.test(after)) throw new AppError('invalid_cursor', 'Not a valid stream position.')
    const arrived = this.#state.events.filter(
      ({ arrival, event }) => arrival > Number(after) && matches(event, filters),
    )
    const found = arrived.flatMap((stored) => {
      const text = this.#toText(stored, domains)
      return text === undefined ? [] : [{ text, position: String(stored.arrival) }]
    })
    const events = found.slice(0, limit)
    const hasMore = found.length > limit
    return { events, position: hasMore ? (events.at(-1)?.position ?? after) : String(this.#state.lastArrival), hasMore }
  }

  /** Undefined for a domain that was not requested. */
  #toText({ domainNumber, event, extension }: StoredEvent, domains: readonly LogDomain[]): string | undefined {
    const domain = domains.find(({ number }) => number === domainNumber)
    if (!domain) return undefined
    const { service_message_id: serviceMessageId, ...rest } = event
    const own = serviceMessageId === undefined ? {} : { [this.#serviceMessageIdField]: serviceMessageId }
    return JSON.stringify({ ...rest, domain_name: domain.name, ...own, ...extension })
  }

  #count({ domainNumber, event }: StoredEvent): void {
    const counter = COUNTER_OF_TYPE[event.type]
    if (!counter) return
    const counts = this.#state.counts.get(domainNumber) ?? { bounce: 0, delivery: 0, reception: 0, changedAtMs: 0 }
    this.#state.counts.set(domainNumber, { ...counts, [counter]: counts[counter] + 1, changedAtMs: this.#clock() })
  }
}

function dayOf(timestamp: number): string {
  return new Date(timestamp * 1000).toISOString().slice(0, 10)
}

/** The same text for the same event, whatever the order of its fields. The domain is identified by its number. */
function identityOf({ domainNumber, event, extension }: AttributedEvent): string {
  const { domain_name: _, ...rest } = event
  const fields = Object.entries({ ...rest, ...extension }).filter(([, value]) => value !== undefined)
  return JSON.stringify([domainNumber, fields.sort(([a], [b]) => (a < b ? -1 : 1))])
}

function newestFirst(a: StoredEvent, b: StoredEvent): number {
  return b.event.timestamp - a.event.timestamp || b.arrival - a.arrival
}

function positionOf({ event, arrival }: StoredEvent): string {
  return `${event.timestamp}.${arrival}`
}

function isAfter({ event, arrival }: StoredEvent, position: string): boolean {
  const [, timestamp, last] = /^(\d{1,15})\.(\d{1,15})$/.exec(position) ?? []
  if (timestamp === undefined) throw new AppError('invalid_cursor', 'Not a valid position in the log.')
  return event.timestamp < Number(timestamp) || (event.timestamp === Number(timestamp) && arrival < Number(last))
}

function keyOf(group: SeriesGroup, { domainNumber, event }: AttributedEvent): string {
  switch (group) {
    case 'type':
      return event.type
    case 'provider':
      return event.provider_name ?? ''
    case 'classification':
      return event.bounce_classification ?? ''
    case 'domain':
      return String(domainNumber)
  }
}
