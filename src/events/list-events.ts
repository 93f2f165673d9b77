/** Use case: one page of a domain's log, newest first. */
import type { DomainStore } from '../domains/domain-store.ts'
import { requireTenantDomain } from '../domains/require-domain.ts'
import { AppError } from '../lib/app-error.ts'
import type { Clock } from '../lib/clock.ts'
import type { Cursors } from './cursor.ts'
import type { EventType } from './event.ts'
import type { EventFilters, EventPosition, EventText } from './event-query.ts'
import type { EventStore } from './event-store.ts'

export const DEFAULT_LIMIT = 50
/** Clients that ask for "everything" with a huge limit keep working: they get this many and follow the token. */
export const LIMIT_MAX = 1000
export const DEFAULT_WINDOW_SECONDS = 15 * 24 * 3600

export interface ListEventsDependencies {
  readonly events: EventStore
  readonly domains: DomainStore
  readonly cursors: Cursors
  readonly clock: Clock
  /** How long one request may search before it answers with a token. */
  readonly budgetMs: number
}

/** The filters a caller sent; what is absent was not sent. */
export interface RequestedFilters {
  readonly type?: EventType
  readonly recipient?: string
  readonly sender?: string
  readonly from?: string
  readonly subject?: string
  readonly responseCode?: number
  readonly startTimestamp?: number
  readonly endTimestamp?: number
}

export interface ListEventsRequest {
  readonly tenantId: string
  readonly domain: string
  /** When given, nothing below counts. */
  readonly messageId?: string
  readonly filters: RequestedFilters
  readonly limit?: number
  readonly nextToken?: string
}

export interface ListEventsResult {
  readonly events: readonly EventText[]
  readonly filtersApplied: { readonly messageId: string } | EventFilters
  readonly nextToken?: string
}

export async function listEvents(
  dependencies: ListEventsDependencies,
  request: ListEventsRequest,
): Promise<ListEventsResult> {
  const { events, domains, cursors, clock, budgetMs } = dependencies
  const domain = await requireTenantDomain(domains, request.tenantId, request.domain)
  if (request.messageId !== undefined) {
    const found = await events.listByMessage(domain.number, domain.name, request.messageId)
    return { events: found, filtersApplied: { messageId: request.messageId } }
  }

  const owner = { tenantId: request.tenantId, domainNumber: domain.number }
  const start = startOfPage()
  const page = await events.list({
    domainNumber: domain.number,
    domainName: domain.name,
    filters: start.filters,
    limit: Math.min(request.limit ?? DEFAULT_LIMIT, LIMIT_MAX),
    ...(start.after && { after: start.after }),
    budgetMs,
  })
  return {
    events: page.events,
    filtersApplied: start.filters,
    ...(page.next && { nextToken: cursors.write({ ...owner, filters: start.filters, after: page.next }) }),
  }

  function startOfPage(): { filters: EventFilters; after?: EventPosition } {
    if (request.nextToken === undefined) return { filters: resolveFilters(request.filters, clock()) }
    const cursor = cursors.read(request.nextToken, owner)
    requireSameFilters(request.filters, cursor.filters)
    return cursor
  }
}

function resolveFilters(requested: RequestedFilters, nowMs: number): EventFilters {
  const { type, ...rest } = requested
  const nowSeconds = Math.floor(nowMs / 1000)
  const startTimestamp = requested.startTimestamp ?? Math.max(0, nowSeconds - DEFAULT_WINDOW_SECONDS)
  const endTimestamp = requested.endTimestamp ?? nowSeconds
  if (startTimestamp > endTimestamp) {
    throw new AppError(
      'invalid_request',
      `start_timestamp (${startTimestamp}) is after end_timestamp (${endTimestamp}); without a value the window starts 15 days before now and ends now`,
    )
  }
  return { ...rest, ...(type && { types: [type] }), startTimestamp, endTimestamp }
}

/** A token goes on with the first page's filters. Filters sent along may repeat them, not change them. */
function requireSameFilters(requested: RequestedFilters, frozen: EventFilters): void {
  const { type, ...rest } = requested
  if (type !== undefined && frozen.types?.join() !== type) throw differentFilter('type')
  for (const [name, value] of Object.entries(rest)) {
    if (value !== undefined && frozen[name as keyof EventFilters] !== value) throw differentFilter(name)
  }
}

function differentFilter(name: string): AppError {
  const wireName = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return new AppError(
    'invalid_cursor',
    `${wireName} differs from the first page's: send next_token alone or with the same filters`,
  )
}
