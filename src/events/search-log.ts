/** Use case: the log over all domains of a tenant, page by page or whole. */
import type { DomainStore } from '../domains/domain-store.ts'
import { requireTenantDomain } from '../domains/require-domain.ts'
import { AppError } from '../lib/app-error.ts'
import type { Clock } from '../lib/clock.ts'
import { readToken, writeToken } from '../lib/sealed-token.ts'
import type { Sealer } from '../lib/sealer.ts'
import type { EventPosition, EventText } from './event-query.ts'
import { DEFAULT_WINDOW_SECONDS } from './list-events.ts'
import type { LogConditions, LogDomain, LogQuery, LogWindow } from './log-query.ts'
import type { TenantLog } from './tenant-log.ts'

export interface SearchLogDeps {
  readonly log: Pick<TenantLog, 'list'>
  readonly domains: Pick<DomainStore, 'findByName' | 'listNames'>
  /** Seals cursors. */
  readonly sealer: Sealer
  readonly clock: Clock
  readonly budgetMs: number
}

/** What a caller sent; what is absent was not sent. */
export interface AskedLog {
  /** Names as they were written. Absent: all of the tenant's. */
  readonly domains?: readonly string[]
  readonly conditions: LogConditions
  readonly startTimestamp?: number
  readonly endTimestamp?: number
}

export interface SearchLogRequest {
  readonly tenantId: string
  readonly asked: AskedLog
  readonly limit: number
  readonly cursor?: string
}

export interface SearchLogResult {
  readonly events: readonly EventText[]
  readonly nextCursor?: string
  /** Unix seconds: everything from the end of the window back to here has been looked at. */
  readonly searchedTo: number
}

const CURSOR_VALID_MS = 24 * 3600 * 1000
/** Written into every cursor; one of another layout is refused like a changed one. */
const LAYOUT = 1

interface SealedCursor {
  readonly layout: number
  readonly issuedAtMs: number
  readonly tenantId: string
  readonly asked: AskedLog
  readonly window: LogWindow
  readonly after: EventPosition
}

/** An event that was there when the first page was served is returned exactly once by following the cursors. */
export async function searchLog(deps: SearchLogDeps, request: SearchLogRequest): Promise<SearchLogResult> {
  const { tenantId, cursor, limit } = request
  const start = cursor === undefined ? startOf(request.asked, deps.clock()) : readCursor(deps, request, cursor)
  const { asked, window, after } = start
  const domains = await findLogDomains(deps.domains, tenantId, asked.domains)
  const { conditions } = asked
  const { budgetMs } = deps
  const page = await deps.log.list({ domains, conditions, window, limit, budgetMs, ...(after && { after }) })
  if (!page.next) return { events: page.events, searchedTo: window.startTimestamp }
  const sealed: SealedCursor = { layout: LAYOUT, issuedAtMs: deps.clock(), tenantId, asked, window, after: page.next }
  return { events: page.events, nextCursor: writeToken(deps.sealer, sealed), searchedTo: page.next.timestamp }
}

/** Small enough that little is held in memory, and that nothing is searched for a reader who has gone away. */
const EXPORT_PAGE = 500
const EXPORT_BUDGET_MS = 100

/** Everything that matches, newest first, in pieces; the next is searched for when somebody wants it. */
export async function exportLog(
  deps: Omit<SearchLogDeps, 'sealer' | 'budgetMs'>,
  { tenantId, asked }: Pick<SearchLogRequest, 'tenantId' | 'asked'>,
): Promise<AsyncGenerator<readonly EventText[]>> {
  const { window } = startOf(asked, deps.clock())
  const domains = await findLogDomains(deps.domains, tenantId, asked.domains)
  const query = { domains, conditions: asked.conditions, window, limit: EXPORT_PAGE, budgetMs: EXPORT_BUDGET_MS }
  return listPages(deps.log, query)
}

async function* listPages(log: SearchLogDeps['log'], query: LogQuery): AsyncGenerator<readonly EventText[]> {
  let after: EventPosition | undefined
  do {
    const page = await log.list({ ...query, ...(after && { after }) })
    after = page.next
    yield page.events
  } while (after)
}

/** Those that were asked for, each of which has to be the tenant's; or all that the tenant has. */
export async function findLogDomains(
  domains: SearchLogDeps['domains'],
  tenantId: string,
  names: readonly string[] | undefined,
): Promise<readonly LogDomain[]> {
  if (!names) return domains.listNames(tenantId)
  const found = await Promise.all(names.map((name) => requireTenantDomain(domains, tenantId, name)))
  return found.map(({ number, name }) => ({ number, name }))
}

function startOf(asked: AskedLog, nowMs: number): { asked: AskedLog; window: LogWindow; after?: EventPosition } {
  const endTimestamp = asked.endTimestamp ?? Math.floor(nowMs / 1000)
  // A message is looked for wherever it is.
  const lengthSeconds = asked.conditions.messageId === undefined ? DEFAULT_WINDOW_SECONDS : endTimestamp
  const startTimestamp = asked.startTimestamp ?? Math.max(0, endTimestamp - lengthSeconds)
  if (startTimestamp > endTimestamp) {
    throw new AppError(
      'invalid_request',
      'from is not before to; without a value the window starts 15 days before its end, and ends now',
    )
  }
  return { asked, window: { startTimestamp, endTimestamp } }
}

/** A cursor goes on with the first page's filters. Filters sent along may repeat them, not change them. */
function readCursor(
  { sealer, clock }: SearchLogDeps,
  { tenantId, asked }: SearchLogRequest,
  cursor: string,
): SealedCursor {
  const opened = readToken(sealer, cursor) as SealedCursor | undefined
  if (opened?.layout !== LAYOUT || opened.tenantId !== tenantId) {
    throw new AppError('invalid_cursor', 'The cursor is not valid here: send it unchanged')
  }
  if (clock() - opened.issuedAtMs > CURSOR_VALID_MS) {
    throw new AppError('invalid_cursor', 'The cursor has expired after 24 hours: start again from the first page')
  }
  if (!isNothing(asked) && JSON.stringify(asked) !== JSON.stringify(opened.asked)) {
    throw new AppError(
      'invalid_cursor',
      "The filters differ from the first page's: send the cursor alone or with the same",
    )
  }
  return opened
}

function isNothing({ conditions, ...rest }: AskedLog): boolean {
  return Object.keys(conditions).length === 0 && Object.keys(rest).length === 0
}
