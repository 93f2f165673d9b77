/** Use case: one page of a domain's log, newest first, or all events of one message. */
import type { DomainStore } from '../../domains/domain-store.ts'
import { requireTenantDomain } from '../../domains/require-domain.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Clock } from '../../lib/clock.ts'
import { type AskedLog, type Cursor, type Cursors, invalidCursor } from './cursor.ts'
import type { EventLog } from './event-log.ts'
import { listMessagePages } from './list-pages.ts'
import type { EventText, LogFilters, LogWindow } from './log-query.ts'

export const DEFAULT_LIMIT = 50
/** Clients that ask for "everything" with a huge limit keep working: they get this many and follow the token. */
export const LIMIT_MAX = 1000
export const DEFAULT_WINDOW_SECONDS = 15 * 24 * 3600

export interface ListEventsDependencies {
  readonly log: Pick<EventLog, 'list' | 'listMessage'>
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
}

export interface ListEventsResult {
  readonly events: readonly EventText[]
  readonly filters: LogFilters
  readonly window: LogWindow
  readonly nextToken?: string
}

export async function listEvents(
  { log, domains, cursors, clock, budgetMs }: ListEventsDependencies,
  request: ListEventsRequest,
): Promise<ListEventsResult> {
  const { tenantId, limit = DEFAULT_LIMIT } = request
  const { number, name } = await requireTenantDomain(domains, tenantId, request.domain)
  const start = request.nextToken === undefined ? startOfPage() : continueFrom(request.nextToken)
  const { asked, window, after } = start
  const { events, next } = await log.list({
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
    requireSame({ ...request.filters, ...windowOf(request) }, { ...cursor.asked.filters, ...cursor.window })
    return cursor
  }
}

/** All events of the message, in pages; the interface returns them in one answer. */
export async function listMessageEvents(
  { log, domains }: Pick<ListEventsDependencies, 'log' | 'domains'>,
  { tenantId, domain, messageId }: { readonly tenantId: string; readonly domain: string; readonly messageId: string },
): Promise<AsyncGenerator<readonly EventText[]>> {
  const { number, name } = await requireTenantDomain(domains, tenantId, domain)
  return listMessagePages(log, [{ number, name }], messageId)
}

function resolveWindow(asked: Omit<AskedLog, 'domains'>, nowMs: number): LogWindow {
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

function windowOf({ startTimestamp, endTimestamp }: Omit<AskedLog, 'domains'>): Partial<LogWindow> {
  return {
    ...(startTimestamp !== undefined && { startTimestamp }),
    ...(endTimestamp !== undefined && { endTimestamp }),
  }
}

type Asked = Readonly<Partial<Record<keyof LogFilters | keyof LogWindow, unknown>>>

/** A token continues with the first page's filters. Filters sent along may repeat them, not change them. */
function requireSame(asked: Asked, frozen: Asked): void {
  for (const [name, value] of Object.entries(asked)) {
    if (JSON.stringify(frozen[name as keyof Asked]) === JSON.stringify(value)) continue
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
