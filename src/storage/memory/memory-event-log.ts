/** The event log as a list in memory: slow and obvious. It is the specification that other engines are compared with. */
import { receptionsByMessage, sampleDeliveryTimes } from '../../events/delivery-times/sample-delivery-times.ts'
import { EVENT_TYPES, type EventType } from '../../events/event.ts'
import type { AttributedEvent, Erasure, EventLog } from '../../events/log/event-log.ts'
import type { LogDomain, LogPage, PageQuery, ShownFields } from '../../events/log/log-query.ts'
import { MatchTally } from '../../events/log/match-tally.ts'
import { countReplies } from '../../events/replies/count-replies.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Clock } from '../../lib/clock.ts'
import { known } from '../../lib/known.ts'
import { foldCase } from '../../lib/text/case-folding.ts'
import { COUNTER_OF_TYPE } from '../../stats/domain-counts.ts'
import type { EventCounts } from '../../stats/event-counts.ts'
import { type CountGroup, concernsSending, type HourCount, writeKind } from '../../stats/series.ts'
import { isWithin, matches } from './event-matching.ts'
import { countOrigin, findCountedOrigin, forgetOrigins, isSentFrom, type Origin } from './memory-origins.ts'
import type { Counted, MemoryState, StoredEvent } from './memory-state.ts'

/** Events that are examined before the budget is checked. */
const SLICE_EVENTS = 500
const HOUR_SECONDS = 3600
const DAY_MS = 86_400_000

type PlainGroup = Exclude<CountGroup, `sending_${string}`>

const KEY_OF: Readonly<Record<PlainGroup, (counted: Counted) => string>> = {
  type: ({ event }) => event.type,
  provider: ({ event }) => event.provider_name ?? '',
  classification: ({ event }) => event.bounce_classification ?? '',
  domain: ({ domainNumber }) => String(domainNumber),
  kind: ({ event }) =>
    writeKind(EVENT_TYPES.indexOf(event.type), event.provider_name ?? '', event.bounce_classification ?? ''),
}

export function createMemoryEventLog(
  state: MemoryState,
  clock: Clock,
  serviceMessageIdField: string,
): EventLog & EventCounts {
  const log: EventLog & EventCounts = {
    async append(events) {
      if (state.isBroken) throw new AppError('storage_unavailable', 'Storage cannot be written at the moment.')
      const stored: StoredEvent[] = []
      const expired: number[] = []
      for (const [index, attributed] of events.entries()) {
        const day = dayOf(attributed.event.timestamp)
        if (state.removedDays.has(day) || state.removedDomains.has(attributed.domainNumber)) expired.push(index)
        else if (!state.known.has(identityOf(attributed))) {
          state.known.add(identityOf(attributed))
          stored.push({ ...attributed, arrival: ++state.lastArrival, day })
        }
      }
      state.events = [...state.events, ...stored]
      for (const event of stored) {
        count(event)
        countOrigin(state, event)
      }
      const domainNumbers = new Set(stored.map(({ domainNumber }) => domainNumber))
      if (stored.length > 0) for (const listener of state.listeners) listener(domainNumbers)
      return { stored: stored.length, duplicates: events.length - stored.length - expired.length, expired }
    },
    list: async ({ filters, window, ...query }) =>
      page(query, ({ event, extension }) => isWithin(event, window) && matches(event, filters, extension)),
    replies: (query) => countReplies((page) => log.list(page), query),
    deliveryTimes: (query) => {
      const list: EventLog['list'] = (page) => log.list(page)
      return sampleDeliveryTimes(list, receptionsByMessage(list), query)
    },
    listMessage: async ({ messageId, ...query }) => page(query, ({ event }) => event.id === messageId),
    async count(query) {
      const tally = new MatchTally(query)
      const numbers = query.domains.map(({ number }) => number)
      for (const { domainNumber, event, extension } of state.events.toSorted(newestFirst)) {
        if (!numbers.includes(domainNumber) || !isWithin(event, query.window)) continue
        if (matches(event, query.filters, extension)) tally.add({ ...event, ...extension }, domainNumber)
      }
      return tally.finish()
    },
    arrivals: {
      last: async () => String(state.lastArrival),
      async list({ domains, filters, shown, after, limit }) {
        if (!/^\d{1,15}$/.test(after)) throw new AppError('invalid_cursor', 'Not a valid stream position.')
        const found = state.events.flatMap((stored) => {
          const isWanted = stored.arrival > Number(after) && matches(stored.event, filters, stored.extension)
          const text = isWanted ? toText(stored, domains, shown) : undefined
          return text === undefined ? [] : [{ text, position: String(stored.arrival) }]
        })
        const events = found.slice(0, limit)
        const hasMore = found.length > limit
        return { events, position: hasMore ? (events.at(-1)?.position ?? after) : String(state.lastArrival), hasMore }
      },
      onArrival(listener) {
        state.listeners.add(listener)
        return { [Symbol.dispose]: () => void state.listeners.delete(listener) }
      },
    },
    async removeBefore(timeMs) {
      const isExpired = ({ day }: Counted) => Date.parse(day) + DAY_MS <= timeMs
      const days = new Set([...state.events, ...state.erased].filter(isExpired).map(({ day }) => day))
      for (const day of days) state.removedDays.add(day)
      state.events = state.events.filter((event) => !isExpired(event))
      state.erased = state.erased.filter(({ day }) => !days.has(day))
      return [...days].sort()
    },
    async erase(erasure, after = '') {
      const isErased = toTest(erasure)
      const [day] = [...new Set(state.events.filter(isErased).map((event) => event.day))]
        .filter((own) => own > after)
        .sort()
      if (erasure.what === 'domains') forgetCounts(erasure.domainNumbers)
      if (day === undefined) return { removed: 0 }
      const removed = state.events.filter((event) => event.day === day && isErased(event))
      state.events = state.events.filter((event) => !removed.includes(event))
      for (const event of removed) state.known.delete(identityOf(event))
      if (erasure.what !== 'domains') state.erased = [...state.erased, ...removed.map(toCounted)]
      return { removed: removed.length, unit: day, next: day }
    },
    async findNewestTimestamp() {
      return state.events.map(({ event }) => event.timestamp).sort((a, b) => b - a)[0]
    },
    counts: async (domainNumbers) => new Map([...state.counts].filter(([number]) => domainNumbers.includes(number))),
    async *series(query) {
      const { domainNumbers, filters, fromHour, toHour, group } = query
      const { types, providers, classifications } = filters
      yield [...state.events, ...state.erased].flatMap((counted): HourCount[] => {
        const { domainNumber, event } = counted
        const origin = findCountedOrigin(state, counted)
        const hour = Math.floor(event.timestamp / HOUR_SECONDS)
        const isCounted =
          domainNumbers.includes(domainNumber) &&
          hour >= fromHour &&
          hour < toHour &&
          (types === undefined || types.includes(event.type)) &&
          (providers === undefined || providers.includes(event.provider_name ?? '')) &&
          (classifications === undefined || classifications.includes(event.bounce_classification ?? '')) &&
          (!concernsSending(query) || (origin !== undefined && isSentFrom(origin, filters)))
        const key = isPlain(group) ? KEY_OF[group](counted) : keyOfOrigin(group, event.type, origin)
        return isCounted ? [{ hour, key, count: 1 }] : []
      })
    },
  }
  return log

  function page(
    { domains, shown, limit, after, budgetMs }: PageQuery,
    isWanted: (event: StoredEvent) => boolean,
  ): LogPage {
    const deadline = performance.now() + budgetMs
    const rest = state.events.toSorted(newestFirst).filter((event) => after === undefined || isAfter(event, after))
    const events: string[] = []
    let last: StoredEvent | undefined
    for (const [index, stored] of rest.entries()) {
      const isOutOfTime = index > 0 && index % SLICE_EVENTS === 0 && performance.now() > deadline
      const text = isWanted(stored) ? toText(stored, domains, shown) : undefined
      if (last && (isOutOfTime || (text !== undefined && events.length === limit))) {
        return { events, next: positionOf(last), searchedTo: last.event.timestamp }
      }
      if (text !== undefined) events.push(text)
      if (events.length < limit || text !== undefined) last = stored
    }
    return { events }
  }

  /** Undefined for a domain that was not requested. */
  function toText(
    { domainNumber, event, extension = {} }: StoredEvent,
    domains: readonly LogDomain[],
    shown: ShownFields = 'interface',
  ): string | undefined {
    const domain = domains.find(({ number }) => number === domainNumber)
    if (!domain) return undefined
    const { service_message_id: serviceMessageId, ...rest } = event
    const own = serviceMessageId === undefined ? {} : { [serviceMessageIdField]: serviceMessageId }
    const { next_attempt, ...others } = extension
    const { url, machine, ...sending } = others
    return JSON.stringify({
      ...rest,
      domain_name: domain.name,
      ...own,
      url,
      machine,
      ...(shown !== 'interface' && { next_attempt }),
      ...(shown === 'sending' && sending),
    })
  }

  function forgetCounts(domainNumbers: readonly number[]): void {
    for (const number of domainNumbers) {
      state.counts.delete(number)
      forgetOrigins(state, number)
    }
    state.erased = state.erased.filter(({ domainNumber }) => !domainNumbers.includes(domainNumber))
  }

  function count({ domainNumber, event }: StoredEvent): void {
    const counter = COUNTER_OF_TYPE[event.type]
    if (!counter) return
    const counts = state.counts.get(domainNumber) ?? { bounce: 0, delivery: 0, reception: 0, changedAtMs: 0 }
    state.counts.set(domainNumber, { ...counts, [counter]: counts[counter] + 1, changedAtMs: clock() })
  }
}

function toTest(erasure: Erasure): (event: StoredEvent) => boolean {
  switch (erasure.what) {
    case 'domains':
      return ({ domainNumber }) => erasure.domainNumbers.includes(domainNumber)
    case 'recipient':
      return ({ event }) => foldCase(event.recipient) === foldCase(erasure.address)
    case 'expired':
      return ({ domainNumber, day }) => {
        const endMs = Date.parse(day) + DAY_MS
        const isOld = endMs <= erasure.beforeMs && endMs > (erasure.fromMs ?? 0)
        return isOld && erasure.domainNumbers.includes(domainNumber)
      }
  }
}

function keyOfOrigin(group: Exclude<CountGroup, PlainGroup>, type: EventType, origin?: Origin): string {
  if (group !== 'sending_kind') return origin?.[group] ?? ''
  return writeKind(EVENT_TYPES.indexOf(type), origin?.sending_address ?? '', '')
}

function isPlain(group: CountGroup): group is PlainGroup {
  return !group.startsWith('sending_')
}

function toCounted({ domainNumber, day, event, extension }: StoredEvent): Counted {
  const { type, provider_name, bounce_classification } = event
  const timestamp = Math.floor(event.timestamp / HOUR_SECONDS) * HOUR_SECONDS
  return {
    domainNumber,
    day,
    event: { timestamp, type, ...known({ provider_name, bounce_classification }) },
    ...known({ extension }),
  }
}

function dayOf(timestamp: number): string {
  return new Date(timestamp * 1000).toISOString().slice(0, 10)
}

/** The same text for the same event, whatever the order of its fields. The domain is identified by its number. */
function identityOf({ domainNumber, event, extension }: AttributedEvent): string {
  const { domain_name: _, ...rest } = event
  const { url, machine } = extension ?? {}
  const fields = Object.entries({ ...rest, url, machine }).filter(([, value]) => value !== undefined)
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
