/** Activates a domain, so that it can send and be verified. */
import type { Clock } from '../../lib/clock.ts'
import type { Domain } from '../domain.ts'
import type { DomainStore } from '../domain-store.ts'
import { requireDomain } from '../require-domain.ts'
import { firstRecheck } from '../verification/recheck-schedule.ts'
import { isProven } from './unproven-domain.ts'

export interface ActivateDomainDeps {
  readonly domains: Pick<DomainStore, 'findByName' | 'setActive'>
  readonly clock: Clock
}

/** Activating an active domain changes nothing, not even `updatedAt`, unless its tenant added it and has not proven it yet. */
export async function activateDomain(deps: ActivateDomainDeps, name: string): Promise<Domain> {
  const domain = await requireDomain(deps.domains, name)
  if (domain.isActive && isProven(domain)) return domain
  const nowMs = deps.clock()
  await deps.domains.setActive(domain.id, true, nowMs, firstRecheck(domain.id, nowMs))
  return requireDomain(deps.domains, name)
}
