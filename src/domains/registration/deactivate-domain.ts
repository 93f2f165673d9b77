/** Deactivates a domain: its events stay readable, but no more are accepted, and it is not checked. */
import type { Clock } from '../../lib/clock.ts'
import type { Domain } from '../domain.ts'
import type { DomainStore } from '../domain-store.ts'
import { requireDomain } from '../require-domain.ts'

export interface DeactivateDomainDeps {
  readonly domains: Pick<DomainStore, 'findByName' | 'setActive'>
  readonly clock: Clock
}

/** Deactivating it again changes nothing, not even `updatedAt`. */
export async function deactivateDomain(deps: DeactivateDomainDeps, name: string): Promise<Domain> {
  const domain = await requireDomain(deps.domains, name)
  if (domain.deactivatedAtMs !== undefined) return domain
  await deps.domains.setActive(domain.id, false, deps.clock())
  return requireDomain(deps.domains, name)
}
