/** Which flags a domain has after a check. */
import type { DomainFlags } from './domain.ts'

export const CHECK_OUTCOMES = ['not_active', 'all_right', 'record_wrong', 'dns_unreachable', 'no_key'] as const
export type CheckOutcome = (typeof CHECK_OUTCOMES)[number]

/**
 * | outcome                                       | isVerified | isApproved | isActive  |
 * |-----------------------------------------------|------------|------------|-----------|
 * | not_active: the domain is not active yet      | unchanged  | unchanged  | false     |
 * | all_right: every required record is right     | true       | true       | true      |
 * | record_wrong: one is missing or wrong         | false      | false      | unchanged |
 * | dns_unreachable: DNS could not be asked       | unchanged  | unchanged  | unchanged |
 * | no_key: we hold no DKIM key for the domain    | unchanged  | unchanged  | unchanged |
 *
 * An outage, ours or the DNS's, never takes a flag away.
 */
export function nextFlags(flags: DomainFlags, outcome: CheckOutcome): DomainFlags {
  const { isActive, isApproved, isVerified } = flags
  switch (outcome) {
    case 'not_active':
      return { isActive: false, isApproved, isVerified }
    case 'all_right':
      return { isActive: true, isApproved: true, isVerified: true }
    case 'record_wrong':
      return { isActive, isApproved: false, isVerified: false }
    case 'dns_unreachable':
    case 'no_key':
      return { isActive, isApproved, isVerified }
  }
}
