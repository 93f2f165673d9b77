/** When a domain is checked automatically: soon while a record is wrong, then less often; daily once all are correct. */
import { createHash } from 'node:crypto'
import type { RecheckPlan, VerificationState } from '../domain.ts'
import { type CheckedOnce, FAILING_GRACE_MS } from './domain-status.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

/** The wait after each check that found a problem; the last one repeats. */
export const RECHECK_LADDER_MS = [
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  HOUR_MS,
  4 * HOUR_MS,
  12 * HOUR_MS,
  DAY_MS,
] as const

/** Waits are extended by up to this fraction, so that domains added together do not stay in step. */
const JITTER = 0.1

export interface CheckedState extends CheckedOnce {
  readonly domainId: string
  readonly before: VerificationState & { readonly recheck?: RecheckPlan }
  readonly after: VerificationState
  /** A new key waits to be seen in DNS, so the next check comes soon although all required records are correct. */
  readonly isKeyAwaited: boolean
}

/**
 * | after the check                                  | next check                                                    |
 * |--------------------------------------------------|---------------------------------------------------------------|
 * | not active                                       | never                                                         |
 * | all correct, no new key to look for              | in a day, at the domain's own time of the day                 |
 * | wrong for less than an hour, still verified      | an hour after the first failure: that one decides             |
 * | anything else                                    | the next step of the ladder; the first if a user asked, or if |
 * |                                                  | the domain has just lost its flags                            |
 */
export function planRecheck(checked: CheckedState): RecheckPlan | undefined {
  const { domainId, outcome, trigger, nowMs, before, after } = checked
  if (!after.isActive) return undefined
  if (outcome === 'all_right' && !checked.isKeyAwaited) return { atMs: nextDaily(domainId, nowMs), step: 0 }
  if (outcome === 'record_wrong' && after.failingSinceMs !== undefined) {
    // Bounded on both sides, in case the clock was changed in between.
    const wait = Math.min(after.failingSinceMs + FAILING_GRACE_MS - nowMs, FAILING_GRACE_MS)
    return { atMs: nowMs + Math.max(wait, MINUTE_MS), step: 0 }
  }
  const isFresh = trigger === 'asked' || (before.isVerified && !after.isVerified)
  return climb(domainId, nowMs, isFresh ? 0 : (before.recheck?.step ?? 0))
}

/** For a domain that is new, newly active, or has a new key: its records may appear any minute. */
export function firstRecheck(domainId: string, nowMs: number): RecheckPlan {
  return climb(domainId, nowMs, 0)
}

/** After a check that threw an error. */
export function laterRecheck(domainId: string, nowMs: number, recheck: RecheckPlan | undefined): RecheckPlan {
  return climb(domainId, nowMs, recheck?.step ?? 0)
}

function climb(domainId: string, nowMs: number, step: number): RecheckPlan {
  const wait = RECHECK_LADDER_MS[step]
  const last = RECHECK_LADDER_MS.length - 1
  if (wait === undefined || step >= last) return { atMs: nextDaily(domainId, nowMs), step: last }
  return { atMs: nowMs + Math.round(wait * (1 + JITTER * fractionOf(domainId))), step: step + 1 }
}

/**
 * Every domain has its own time of day, derived from its id and evenly spread. After a long stop or an import of many
 * domains, the next checks return to these times. The wait is between 0.5 and 1.5 days.
 */
function nextDaily(domainId: string, nowMs: number): number {
  const phaseMs = Math.round(fractionOf(domainId) * DAY_MS)
  const earliestMs = nowMs + DAY_MS / 2
  return earliestMs + ((((phaseMs - earliestMs) % DAY_MS) + DAY_MS) % DAY_MS)
}

/** Between 0 and 1, constant for a domain. */
function fractionOf(domainId: string): number {
  return createHash('sha256').update(domainId).digest().readUInt32BE() / 2 ** 32
}
