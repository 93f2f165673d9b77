/** Use case: the log over all domains of a tenant, page by page or whole. */
import { normalizeDomainName } from '../../domains/domain-name.ts'
import type { DomainStore } from '../../domains/domain-store.ts'
import { domainNotFound, requireDomain, requireTenantDomain } from '../../domains/require-domain.ts'
import { AppError } from '../../lib/app-error.ts'
import { known } from '../../lib/known.ts'
import type { AskedLog, Cursor } from './cursor.ts'
import { DEFAULT_WINDOW_SECONDS, type PageDependencies } from './list-events.ts'
import { listPages } from './list-pages.ts'
import type { EventText, LogDomain, LogWindow, ShownFields } from './log-query.ts'
import { requireShown } from './shown-fields.ts'

export type AskedDomains = Pick<AskedLog, 'tenants' | 'domains' | 'withoutDomains'>

export interface SearchLogDeps extends PageDependencies {
  readonly domains: Pick<DomainStore, 'findByName' | 'listNames'>
  /** Which domains may be read. Default: those of the tenant. */
  readonly findDomains?: (asked: AskedDomains) => Promise<readonly LogDomain[]>
}

export interface SearchLogRequest {
  readonly tenantId: string
  readonly asked: AskedLog
  /** Default: the least. */
  readonly shown?: ShownFields
  readonly limit: number
  readonly cursor?: string
  readonly signal?: AbortSignal
}

export interface SearchLogResult {
  readonly events: readonly EventText[]
  readonly window: LogWindow
  readonly nextCursor?: string
  /** Unix seconds: everything from the end of the window back to here was searched. */
  readonly searchedTo: number
}

export async function searchLog(deps: SearchLogDeps, request: SearchLogRequest): Promise<SearchLogResult> {
  const { tenantId, cursor, limit, signal, shown } = request
  const start = cursor === undefined ? startOf(request.asked, deps.clock()) : readCursor(deps, request, cursor)
  const { asked, window, after } = start
  requireShown(asked.filters, shown)
  const domains = await findDomainsFor(deps, tenantId)(asked)
  const { budgetMs, cursors } = deps
  const page = { domains, filters: asked.filters, window, limit, ...known({ shown, after }) }
  const query = { tenantId, signal, budgetMs, ...page }
  const { events, next, searchedTo } = await deps.log.list(query)
  if (next === undefined) return { events, window, searchedTo: window.startTimestamp }
  const nextCursor = cursors.write({ tenantId, asked, window, after: next })
  return { events, window, nextCursor, searchedTo: searchedTo ?? window.endTimestamp }
}

/** Small, so that little is held in memory and little is searched for a client that has disconnected. */
const EXPORT_PAGE = 500
const EXPORT_BUDGET_MS = 100

/** Everything that matches, newest first, in pages; each is read when it is asked for. */
export async function exportLog(
  deps: Omit<SearchLogDeps, 'cursors' | 'budgetMs'>,
  { tenantId, asked, shown }: Pick<SearchLogRequest, 'tenantId' | 'asked' | 'shown'>,
): Promise<{ readonly pages: AsyncGenerator<readonly EventText[]>; readonly window: LogWindow }> {
  const { window } = startOf(asked, deps.clock())
  requireShown(asked.filters, shown)
  const findDomains = findDomainsFor(deps, tenantId)
  const domains = await findDomains(asked)
  const limits = { limit: EXPORT_PAGE, budgetMs: EXPORT_BUDGET_MS }
  const query = { tenantId, filters: asked.filters, window, ...limits, ...known({ shown }) }
  const pages = listPages(async (after) => {
    // One that is removed meanwhile is not shown any more, though its events may still be there.
    const present = await findDomains(asked)
    const left = present === domains ? domains : domains.filter(isAmong(present))
    // The response has begun when the first page is read, and a tenant has a limited number of exports.
    return deps.log.list({ ...query, ...after, domains: left, isContinuation: true })
  })
  return { pages, window }
}

type FindDomainsDeps = Pick<SearchLogDeps, 'domains' | 'findDomains'>

export function findDomainsFor({ domains, findDomains }: FindDomainsDeps, tenantId: string) {
  return findDomains ?? ((asked: AskedDomains) => findLogDomains(domains, tenantId, asked))
}

/** For the operator, who may read the domains of all tenants. Throws AppError `domain_not_found`. */
export async function findAnyDomains(
  { domains }: Pick<SearchLogDeps, 'domains'>,
  { tenants, domains: names, withoutDomains }: AskedDomains,
): Promise<readonly LogDomain[]> {
  if (names) {
    const found = await Promise.all(names.map((name) => requireDomain(domains, name)))
    if (tenants && found.some(({ tenantId }) => !tenants.includes(tenantId))) throw domainNotFound()
    return leaveOut(found.map(toLogDomain), withoutDomains)
  }
  // One read for all tenants: there may be thousands.
  if (!tenants) return leaveOut(await domains.listNames(), withoutDomains)
  return leaveOut((await Promise.all(tenants.map((id) => domains.listNames(id)))).flat(), withoutDomains)
}

/** The domains with these names, each of which has to be the tenant's; or all of the tenant's. */
export async function findLogDomains(
  domains: SearchLogDeps['domains'],
  tenantId: string,
  { domains: names, withoutDomains }: Omit<AskedDomains, 'tenants'>,
): Promise<readonly LogDomain[]> {
  if (!names) return leaveOut(await domains.listNames(tenantId), withoutDomains)
  const found = await Promise.all(names.map((name) => requireTenantDomain(domains, tenantId, name)))
  return leaveOut(found.map(toLogDomain), withoutDomains)
}

function toLogDomain({ number, name }: LogDomain): LogDomain {
  return { number, name }
}

function leaveOut(domains: readonly LogDomain[], names: readonly string[] | undefined): readonly LogDomain[] {
  if (!names) return domains
  const unwanted = new Set(names.map(normalizeDomainName))
  return domains.filter(({ name }) => !unwanted.has(name))
}

function isAmong(domains: readonly LogDomain[]): (domain: LogDomain) => boolean {
  const numbers = new Set(domains.map(({ number }) => number))
  return ({ number }) => numbers.has(number)
}

export function startOf(
  asked: AskedLog,
  nowMs: number,
): Pick<Cursor, 'asked' | 'window'> & Partial<Pick<Cursor, 'after'>> {
  const endTimestamp = asked.endTimestamp ?? Math.floor(nowMs / 1000)
  // A message is searched for in all retained events.
  const lengthSeconds = asked.filters.messageId === undefined ? DEFAULT_WINDOW_SECONDS : endTimestamp
  const startTimestamp = asked.startTimestamp ?? Math.max(0, endTimestamp - lengthSeconds)
  if (startTimestamp > endTimestamp) {
    throw new AppError(
      'invalid_request',
      'from is not before to; by default the window starts 15 days before its end, and ends now',
    )
  }
  const window: LogWindow = { startTimestamp, endTimestamp }
  return { asked, window }
}

/** A cursor continues with the first page's filters. Filters sent along may repeat them, not change them. */
function readCursor({ cursors }: SearchLogDeps, { tenantId, asked }: SearchLogRequest, text: string): Cursor {
  const cursor = cursors.read(text, tenantId)
  if (!isNothing(asked) && JSON.stringify(asked) !== JSON.stringify(cursor.asked)) {
    throw new AppError(
      'invalid_cursor',
      'The filters differ from those of the first page: send the cursor alone or with the same filters',
    )
  }
  return cursor
}

function isNothing({ filters, ...rest }: AskedLog): boolean {
  return Object.keys(filters).length === 0 && Object.keys(rest).length === 0
}
