/** Shared by the contracts of the event log: domains of a run, queries, complete listings, the model to compare with. */
import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { EmailEvent } from '../../events/event.ts'
import type { ArrivalPosition, AttributedEvent, EventLog } from '../../events/log/event-log.ts'
import type { LogDomain, LogFilters, LogPosition, LogQuery, LogWindow } from '../../events/log/log-query.ts'
import { systemClock } from '../../lib/clock.ts'
import type { EventCounts } from '../../stats/event-counts.ts'
import { openMemoryStorage } from '../memory/open-memory-storage.ts'
import { BASE_TIMESTAMP } from './event-arbitraries.ts'

export type TestedLog = EventLog & EventCounts
export type OpenLog = () => Promise<{ readonly log: TestedLog } & AsyncDisposable>

/** One log for all tests of a suite that have domains of their own: to open it takes longer than many of them. */
export function shareLog(open: OpenLog): OpenLog {
  let shared: ReturnType<OpenLog> | undefined
  after(async () => (await shared)?.[Symbol.asyncDispose]())
  return async () => {
    shared ??= open()
    return { log: (await shared).log, [Symbol.asyncDispose]: async () => undefined }
  }
}

export const BUDGET_MS = 60_000
export const ALL_TIMES: LogWindow = { startTimestamp: 0, endTimestamp: 4_000_000_000 }

/** The in-memory engine is the reference. */
export function openModel(): TestedLog {
  return openMemoryStorage({ clock: systemClock, serviceMessageIdField: 'service_message_id' }).log
}

let lastDomain = 100_000
/** Two domains that no earlier run has used. */
export function freshDomains(): readonly [LogDomain, LogDomain] {
  lastDomain += 2
  return [
    { number: lastDomain, name: `a${lastDomain}.test` },
    { number: lastDomain + 1, name: `b${lastDomain}.test` },
  ]
}

/** Random events call their domains 0 and 1. */
export function attribute(
  events: readonly AttributedEvent[],
  domains: readonly LogDomain[],
): readonly AttributedEvent[] {
  return events.map((each) => ({ ...each, domainNumber: domains[each.domainNumber]?.number ?? 0 }))
}

export function burst(index: number, { number, name }: LogDomain, timestamp = BASE_TIMESTAMP): AttributedEvent {
  const message = { id: `message-${index}`, recipient: `user${index}@b.test`, subject: `number ${index} of many` }
  return {
    domainNumber: number,
    event: { ...message, timestamp, type: 'Delivery', domain_name: name, response_code: 250 },
  }
}

export function queryOf(
  domains: readonly LogDomain[],
  limit: number,
  filters: LogFilters = {},
  window: LogWindow = ALL_TIMES,
): LogQuery {
  return { domains, filters, window, limit, budgetMs: BUDGET_MS }
}

export async function listAll(log: EventLog, query: LogQuery): Promise<readonly EmailEvent[]> {
  const found: EmailEvent[] = []
  let after: LogPosition | undefined
  do {
    const page = await log.list({ ...query, ...(after !== undefined && { after }) })
    assert.ok(page.events.length <= query.limit)
    found.push(...page.events.map(parse))
    after = page.next
  } while (after !== undefined)
  return found
}

/**
 * For engines in which the order of events of different domains in one second is that of their arrival, which need not be their order in the
 * call: sorts events of one second by domain, and leaves those of each domain as they are.
 */
export function byDomain(events: readonly EmailEvent[]): readonly EmailEvent[] {
  return events.toSorted((a, b) => b.timestamp - a.timestamp || compare(a.domain_name, b.domain_name))
}

export async function listMessage(log: EventLog, domains: readonly LogDomain[], messageId: string, limit = 1000) {
  const found: EmailEvent[] = []
  let after: LogPosition | undefined
  do {
    const query = { domains, messageId, limit, budgetMs: BUDGET_MS, ...(after !== undefined && { after }) }
    const page = await log.listMessage(query)
    assert.ok(page.events.length <= limit)
    found.push(...page.events.map(parse))
    after = page.next
  } while (after !== undefined)
  return found
}

export interface Followed {
  /** Fingerprints, in order of arrival. */
  readonly seen: string[]
  /** The position after each of them. */
  readonly positions: ArrivalPosition[]
}

/** Reads to the end; returns the position there. */
export async function follow(
  log: EventLog,
  { domains, filters }: Pick<LogQuery, 'domains' | 'filters'>,
  from: ArrivalPosition,
  limit: number,
  { seen, positions }: Followed,
): Promise<ArrivalPosition> {
  for (let after = from; ; ) {
    const page = await log.arrivals.list({ domains, filters, after, limit, budgetMs: BUDGET_MS })
    assert.ok(page.events.length <= limit)
    seen.push(...page.events.map(({ text }) => fingerprint(parse(text))))
    positions.push(...page.events.map(({ position }) => position))
    after = page.position
    if (!page.hasMore) return after
  }
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}

export function parse(text: string): EmailEvent {
  return JSON.parse(text) as EmailEvent
}

/** The same text for the same event, whatever the order of its fields. */
export function fingerprint(event: EmailEvent): string {
  return JSON.stringify(Object.entries(event).sort(([a], [b]) => (a < b ? -1 : 1)))
}
