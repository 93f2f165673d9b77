/** A domain that its tenant added: until DNS proves that it is theirs, it gets no events, and others may get the name. */
import { AppError } from '../../lib/app-error.ts'
import type { Domain } from '../domain.ts'

/** Time to publish the records. Afterwards the domain stays, but gives way to anyone else who adds the name. */
export const PROOF_MS = 3 * 86_400_000

/** Per tenant. Each is checked, and reserves a name. */
export const UNPROVEN_MAX = 100

type Proof = Pick<Domain, 'proofDueAtMs'>

export function isProven({ proofDueAtMs }: Proof): boolean {
  return proofDueAtMs === undefined
}

/** Whether the domain that has the name gives way to one of another tenant: at once to the operator's, later to any. */
export function givesWay(
  holder: Pick<Domain, 'proofDueAtMs' | 'tenantId'>,
  added: Pick<Domain, 'proofDueAtMs' | 'tenantId' | 'createdAtMs'>,
): boolean {
  if (holder.proofDueAtMs === undefined || holder.tenantId === added.tenantId) return false
  return isProven(added) || holder.proofDueAtMs <= added.createdAtMs
}

/** To be called in the transaction that adds an unproven domain; `others`: those of the tenant that it has already. */
export function requireUnprovenRoom(others: number): void {
  if (others < UNPROVEN_MAX) return
  throw new AppError(
    'quota_exceeded',
    `${others} domains of the tenant are not verified yet, which is the maximum; nothing was added. Verify or remove some of them first.`,
  )
}
