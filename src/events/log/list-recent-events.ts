/** Use case: the newest events of a domain in one answer without paging, for the alternative log path. */
import { requireTenantDomain } from '../../domains/require-domain.ts'
import type { EventType } from '../event.ts'
import { DEFAULT_WINDOW_SECONDS, LIMIT_MAX, type ListEventsDependencies } from './list-events.ts'
import { listPages } from './list-pages.ts'
import type { EventText } from './log-query.ts'

export interface ListRecentEventsRequest {
  readonly tenantId: string
  readonly domain: string
  readonly types: readonly EventType[]
}

export async function listRecentEvents(
  { log, domains, clock, budgetMs }: Omit<ListEventsDependencies, 'cursors'>,
  { tenantId, domain, types }: ListRecentEventsRequest,
): Promise<readonly EventText[]> {
  const { number, name } = await requireTenantDomain(domains, tenantId, domain)
  const endTimestamp = Math.floor(clock() / 1000)
  const window = { startTimestamp: Math.max(0, endTimestamp - DEFAULT_WINDOW_SECONDS), endTimestamp }
  const query = { domains: [{ number, name }], filters: { types }, window, budgetMs }
  const found: EventText[] = []
  // A page can be short because its budget ran out; this path has no token, so it continues.
  for await (const events of listPages((after) => log.list({ ...query, ...after, limit: LIMIT_MAX - found.length }))) {
    found.push(...events)
    if (found.length === LIMIT_MAX) break
  }
  return found
}
