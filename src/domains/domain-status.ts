/** Which flags a domain has after a check. */
import type { VerificationState } from './domain.ts'

export const CHECK_OUTCOMES = ['not_active', 'all_right', 'record_wrong', 'dns_unreachable', 'no_key'] as const
export type CheckOutcome = (typeof CHECK_OUTCOMES)[number]

/** Somebody asked for the check, or the schedule did. */
export const CHECK_TRIGGERS = ['asked', 'scheduled'] as const
export type CheckTrigger = (typeof CHECK_TRIGGERS)[number]

/** How long a verified domain has to be wrong before a scheduled check takes its flags away. */
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
 * | all_right: every required record is right     | true       | true       | true      | none         |
 * | record_wrong: one is missing or wrong         | false (*)  | false (*)  | unchanged | none (*)     |
 * | dns_unreachable: DNS could not be asked       | unchanged  | unchanged  | unchanged | unchanged    |
 * | no_key: we hold no DKIM key for the domain    | unchanged  | unchanged  | unchanged | unchanged    |
 *
 * (*) At once when somebody asked. A scheduled check takes flags away only when an earlier one, at least an hour before,
 * found a record wrong too; until then they stay, and failingSince is the time of the first.
 *
 * An outage, ours or the DNS's, never takes a flag away.
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

/** Has flags to lose, and not yet for long enough a reason to lose them. */
function isInGrace({ isApproved, isVerified, failingSinceMs }: VerificationState, nowMs: number): boolean {
  if (!isApproved && !isVerified) return false
  return failingSinceMs === undefined || nowMs - failingSinceMs < FAILING_GRACE_MS
}

/** What people want to hear of: a verified domain fails for the first time, has lost its flags, is right again, or for the first time. */
export type StateChange = 'fails' | 'unverified' | 'recovered' | 'verified'

export function findChange(before: VerificationState, after: VerificationState): StateChange | undefined {
  if (before.isVerified && !after.isVerified) return 'unverified'
  if (!before.isVerified && after.isVerified) return 'verified'
  if (!isFailing(before) && isFailing(after)) return 'fails'
  return isFailing(before) && !isFailing(after) ? 'recovered' : undefined
}

/** Once for each time that a verified domain breaks, however many checks it takes until it loses its flags. */
export function isNewlyBroken(before: VerificationState, after: VerificationState): boolean {
  return before.isVerified && !isFailing(before) && (isFailing(after) || !after.isVerified)
}

function isFailing({ failingSinceMs }: VerificationState): boolean {
  return failingSinceMs !== undefined
}
