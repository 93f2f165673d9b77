/** A tenant adds a domain of its own. It is unproven until a check finds its records in DNS. */
import { AppError } from '../../lib/app-error.ts'
import type { Domain } from '../domain.ts'
import { type AddDomainDeps, type NewDomain, registerDomain } from './add-domain.ts'
import { PROOF_MS } from './unproven-domain.ts'

/** Creating a DKIM key takes a tenth of a second of processor time. */
export const CLAIM_RATE = { burst: 50, perMinute: 30 } as const

/** Rejects with `invalid_request`, `conflict` or `quota_exceeded`. */
export async function claimDomain(
  deps: Omit<AddDomainDeps, 'keys'>,
  tenantId: string,
  domain: NewDomain,
): Promise<Domain> {
  const proofDueAtMs = deps.clock() + PROOF_MS
  return registerDomain(deps, { ...domain, tenantId, isActive: true, proofDueAtMs }, (name, holder) => {
    if (holder.tenantId === tenantId) return new AppError('conflict', `You have already added the domain ${name}.`)
    // The same for a verified domain, one that is reserved and one that the operator added: nothing about its tenant.
    return new AppError('conflict', `The domain ${name} is not available. If it is yours, contact the operator.`)
  })
}
