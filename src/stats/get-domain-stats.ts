/** Use case: bounces, deliveries and receptions of every domain of a tenant. */
import type { DomainStore } from '../domains/domain-store.ts'
import type { EventCounts } from './event-counts.ts'

export interface DomainStats {
  readonly name: string
  readonly counts: { readonly bounce: number; readonly delivery: number; readonly reception: number }
  /** Absent before the first counted event. */
  readonly changedAtMs?: number
}

export interface GetDomainStatsDeps {
  readonly counts: Pick<EventCounts, 'counts'>
  readonly domains: Pick<DomainStore, 'listNames'>
}

/** Sorted by name; domains without events have zeros. */
export async function getDomainStats(deps: GetDomainStatsDeps, tenantId: string): Promise<readonly DomainStats[]> {
  const domains = await deps.domains.listNames(tenantId)
  const numbers = domains.map(({ number }) => number)
  const counted = await deps.counts.counts(numbers, tenantId)
  return domains.map(({ name, number }) => {
    const found = counted.get(number)
    if (!found) return { name, counts: { bounce: 0, delivery: 0, reception: 0 } }
    const { bounce, delivery, reception, changedAtMs } = found
    return { name, counts: { bounce, delivery, reception }, changedAtMs }
  })
}
