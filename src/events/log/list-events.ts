/** Use cases: one page of a domain's log, newest first; its newest events without paging; or all events of one message. */
import type { DomainStore } from '../../domains/domain-store.ts'
import { requireTenantDomain } from '../../domains/require-domain.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Clock } from '../../lib/clock.ts'
import type { EventType } from '../event.ts'
import { type AskedLog, type Cursor, type Cursors, invalidCursor } from './cursor.ts'
import type { EventLog } from './event-log.ts'
import { listMessagePages, listPages } from './list-pages.ts'
import type { EventText, LogFilters, LogWindow } from './log-query.ts'

export const DEFAULT_LIMIT = 50
/** Clients that ask for "everything" with a huge limit keep working: they get this many and follow the token. */
export const LIMIT_MAX = 1000
export const DEFAULT_WINDOW_SECONDS = 15 * 24 * 3600

export interface PageDependencies {
  readonly log: Pick<EventLog, 'list'>
  readonly domains: Pick<DomainStore, 'findByName'>
  readonly cursors: Cursors
  readonly clock: Clock
  /** How long one request may search before it answers with a token. */
  readonly budgetMs: number
}

export interface ListEventsRequest extends Omit<AskedLog, 'domains'> {
  readonly tenantId: string
  readonly domain: string
  readonly limit?: number
  readonly nextToken?: string
  readonly signal?: AbortSignal
}

export interface ListEventsResult {
  readonly events: readonly EventText[]
  readonly filters: LogFilters
  readonly window: LogWindow
  readonly nextToken?: string
}

export async function listEvents(
  { log, domains, cursors, clock, budgetMs }: PageDependencies,
  request: ListEventsRequest,
): Promise<ListEventsResult> {
  const { tenantId, limit = DEFAULT_LIMIT } = request
  const { number, name } = await requireTenantDomain(domains, tenantId, request.domain)
  const start = request.nextToken === undefined ? startOfPage() : continueFrom(request.nextToken)
  const { asked, window, after } = start
  const { events, next } = await log.list({
    tenantId,
    signal: request.signal,
    domains: [{ number, name }],
    filters: asked.filters,
    window,
    limit: Math.min(limit, LIMIT_MAX),
    budgetMs,
    ...(after !== undefined && { after }),
  })
  const result = { events, filters: asked.filters, window }
  return next === undefined ? result : { ...result, nextToken: cursors.write({ tenantId, asked, window, after: next }) }

  function startOfPage(): Pick<Cursor, 'asked' | 'window'> & Partial<Cursor> {
    return { asked: { domains: [name], filters: request.filters }, window: resolveWindow(request, clock()) }
  }

  function continueFrom(token: string): Cursor {
    const cursor = cursors.read(token, tenantId)
    if (cursor.asked.domains?.join() !== name) throw invalidCursor('next_token')
    const { filters, startTimestamp, endTimestamp } = request
    requireSame({ ...filters, startTimestamp, endTimestamp }, { ...cursor.asked.filters, ...cursor.window })
    return cursor
  }
}

/** All events of the message, in pages; the interface returns them in one answer. */
export async function listMessageEvents(
  { log, domains }: { readonly log: Pick<EventLog, 'listMessage'>; readonly domains: PageDependencies['domains'] },
  { tenantId, domain, messageId }: { readonly tenantId: string; readonly domain: string; readonly messageId: string },
): Promise<AsyncGenerator<readonly EventText[]>> {
  const { number, name } = await requireTenantDomain(domains, tenantId, domain)
  return listMessagePages(log, [{ number, name }], messageId, tenantId)
}

export interface ListRecentEventsRequest {
  readonly tenantId: string
  readonly domain: string
  readonly types: readonly EventType[]
}

/** The newest events of a domain in one answer without paging, for the alternative log path. */
export async function listRecentEvents(
  { log, domains, clock, budgetMs }: Omit<PageDependencies, 'cursors'>,
  { tenantId, domain, types }: ListRecentEventsRequest,
): Promise<readonly EventText[]> {
  const { number, name } = await requireTenantDomain(domains, tenantId, domain)
  const window = resolveWindow({}, clock())
  const query = { tenantId, domains: [{ number, name }], filters: { types }, window, budgetMs }
  const found: EventText[] = []
  // A page can be short because its budget ran out; this path has no token, so it continues.
  for await (const events of listPages((after) => log.list({ ...query, ...after, limit: LIMIT_MAX - found.length }))) {
    found.push(...events)
    if (found.length === LIMIT_MAX) break
  }
  return found
}

/** Throws AppError `invalid_request` for a window that ends before it starts. */
export function resolveWindow(asked: Partial<LogWindow>, nowMs: number): LogWindow {
  const nowSeconds = Math.floor(nowMs / 1000)
  const startTimestamp = asked.startTimestamp ?? Math.max(0, nowSeconds - DEFAULT_WINDOW_SECONDS)
  const endTimestamp = asked.endTimestamp ?? nowSeconds
  if (startTimestamp > endTimestamp) {
    throw new AppError(
      'invalid_request',
      `start_timestamp (${startTimestamp}) is after end_timestamp (${endTimestamp}); by default the window starts 15 days before now and ends now`,
    )
  }
  return { startTimestamp, endTimestamp }
}

type Asked = Readonly<Partial<Record<keyof LogFilters | keyof LogWindow, unknown>>>

/** A token continues with the first page's filters. Filters sent along may repeat them, not change them. */
function requireSame(asked: Asked, frozen: Asked): void {
  for (const [name, value] of Object.entries(asked)) {
    if (value === undefined || JSON.stringify(frozen[name as keyof Asked]) === JSON.stringify(value)) continue
    throw new AppError(
      'invalid_cursor',
      `${WIRE_NAMES[name] ?? name} differs from that of the first page: send next_token alone or with the same filters`,
    )
  }
}

const WIRE_NAMES: Readonly<Record<string, string>> = {
  types: 'type',
  codes: 'response_code',
  startTimestamp: 'start_timestamp',
  endTimestamp: 'end_timestamp',
}
