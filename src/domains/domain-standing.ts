/** The overall status of a domain, in one word. */
import type { VerificationState } from './domain.ts'

/** `inactive`: regardless of the other flags. `failing`: verified, but the last conclusive check found a record wrong. */
export const DOMAIN_STANDINGS = ['inactive', 'unverified', 'verified', 'failing'] as const
export type DomainStanding = (typeof DOMAIN_STANDINGS)[number]

export function standingOf({ isActive, isVerified, failingSinceMs }: VerificationState): DomainStanding {
  if (!isActive) return 'inactive'
  if (!isVerified) return 'unverified'
  return failingSinceMs === undefined ? 'verified' : 'failing'
}
