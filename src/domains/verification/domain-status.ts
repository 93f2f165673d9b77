/** The flags of a domain after a check. */
import type { VerificationState } from '../domain.ts'

export const CHECK_OUTCOMES = ['not_active', 'all_right', 'record_wrong', 'dns_unreachable', 'no_key'] as const
export type CheckOutcome = (typeof CHECK_OUTCOMES)[number]

/** Whether a user or the schedule started the check. */
export const CHECK_TRIGGERS = ['asked', 'scheduled'] as const
export type CheckTrigger = (typeof CHECK_TRIGGERS)[number]

/** How long a verified domain must fail before a scheduled check removes its flags. */
export const FAILING_GRACE_MS = 3_600_000

export interface CheckedOnce {
  readonly outcome: CheckOutcome
  readonly trigger: CheckTrigger
  readonly nowMs: number
}

/**
 * | outcome                                       | isVerified | isApproved | isActive  | failingSince |
 * |-----------------------------------------------|------------|------------|-----------|--------------|
 * | not_active: the domain is not active yet      | unchanged  | unchanged  | false     | unchanged    |
 * | all_right: every required record is correct   | true       | true       | true      | none         |
 * | record_wrong: one is missing or wrong         | false (*)  | false (*)  | unchanged | none (*)     |
 * | dns_unreachable: DNS queries failed           | unchanged  | unchanged  | unchanged | unchanged    |
 * | no_key: there is no DKIM key for the domain   | unchanged  | unchanged  | unchanged | unchanged    |
 *
 * (*) At once if a user asked for the check. A scheduled check removes flags only if an earlier one, at least an hour
 * before, also found a record wrong; until then they stay, and failingSince is the time of the first failure.
 *
 * An outage, ours or that of DNS, never removes a flag.
 */
export function nextState(state: VerificationState, { outcome, trigger, nowMs }: CheckedOnce): VerificationState {
  const { isActive, isApproved, isVerified, failingSinceMs } = state
  const failing = failingSinceMs !== undefined && { failingSinceMs }
  switch (outcome) {
    case 'not_active':
      return { isActive: false, isApproved, isVerified, ...failing }
    case 'all_right':
      return { isActive: true, isApproved: true, isVerified: true }
    case 'record_wrong':
      return trigger === 'scheduled' && isInGrace(state, nowMs)
        ? { isActive, isApproved, isVerified, failingSinceMs: failingSinceMs ?? nowMs }
        : { isActive, isApproved: false, isVerified: false }
    case 'dns_unreachable':
    case 'no_key':
      return { isActive, isApproved, isVerified, ...failing }
  }
}

/** Still has flags, and has not failed long enough to lose them. */
function isInGrace({ isApproved, isVerified, failingSinceMs }: VerificationState, nowMs: number): boolean {
  if (!isApproved && !isVerified) return false
  return failingSinceMs === undefined || nowMs - failingSinceMs < FAILING_GRACE_MS
}

/** Changes worth reporting: a verified domain began to fail, lost its flags or recovered, or a domain was verified. */
export type StateChange = 'fails' | 'unverified' | 'recovered' | 'verified'

export function findChange(before: VerificationState, after: VerificationState): StateChange | undefined {
  if (before.isVerified && !after.isVerified) return 'unverified'
  if (!before.isVerified && after.isVerified) return 'verified'
  if (!isFailing(before) && isFailing(after)) return 'fails'
  return isFailing(before) && !isFailing(after) ? 'recovered' : undefined
}

/** True once each time a verified domain breaks, however many checks pass until it loses its flags. */
export function isNewlyBroken(before: VerificationState, after: VerificationState): boolean {
  return before.isVerified && !isFailing(before) && (isFailing(after) || !after.isVerified)
}

function isFailing({ failingSinceMs }: VerificationState): boolean {
  return failingSinceMs !== undefined
}
