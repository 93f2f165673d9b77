/** Use case: the newest events of a domain in one answer without paging, for the alternative log path. */
import { requireTenantDomain } from '../domains/require-domain.ts'
import type { EventType } from './event.ts'
import type { EventPosition, EventText } from './event-query.ts'
import { DEFAULT_WINDOW_SECONDS, LIMIT_MAX, type ListEventsDependencies } from './list-events.ts'

export interface ListRecentEventsRequest {
  readonly tenantId: string
  readonly domain: string
  readonly types: readonly EventType[]
}

export async function listRecentEvents(
  { events, domains, clock, budgetMs }: Omit<ListEventsDependencies, 'cursors'>,
  { tenantId, domain: name, types }: ListRecentEventsRequest,
): Promise<readonly EventText[]> {
  const domain = await requireTenantDomain(domains, tenantId, name)
  const endTimestamp = Math.floor(clock() / 1000)
  const filters = { types, startTimestamp: Math.max(0, endTimestamp - DEFAULT_WINDOW_SECONDS), endTimestamp }
  const found: EventText[] = []
  // A page can be short because its budget ran out; this path has no token, so it goes on itself.
  let after: EventPosition | undefined
  do {
    const limit = LIMIT_MAX - found.length
    const query = { domainNumber: domain.number, domainName: domain.name, filters, limit, budgetMs }
    const page = await events.list({ ...query, ...(after && { after }) })
    found.push(...page.events)
    after = page.next
  } while (after && found.length < LIMIT_MAX)
  return found
}
