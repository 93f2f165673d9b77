/** How a domain stands, in one word. */
import type { VerificationState } from './domain.ts'

export const DOMAIN_STANDINGS = ['inactive', 'unverified', 'verified', 'failing'] as const
export type DomainStanding = (typeof DOMAIN_STANDINGS)[number]

/** The same four as the store's census counts. */
export function standingOf({ isActive, isVerified, failingSinceMs }: VerificationState): DomainStanding {
  if (!isActive) return 'inactive'
  if (!isVerified) return 'unverified'
  return failingSinceMs === undefined ? 'verified' : 'failing'
}
