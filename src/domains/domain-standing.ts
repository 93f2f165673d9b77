/** The overall status of a domain, in one word. */
import type { VerificationState } from './domain.ts'

export const DOMAIN_STANDINGS = ['inactive', 'unverified', 'verified', 'failing'] as const
export type DomainStanding = (typeof DOMAIN_STANDINGS)[number]

/** The same four states that the census of the store counts. */
export function standingOf({ isActive, isVerified, failingSinceMs }: VerificationState): DomainStanding {
  if (!isActive) return 'inactive'
  if (!isVerified) return 'unverified'
  return failingSinceMs === undefined ? 'verified' : 'failing'
}
