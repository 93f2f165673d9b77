/** One round of the schedule: checks the domains that are due, a few at a time; tenants take turns. */
import { AppError } from '../../lib/app-error.ts'
import type { Clock } from '../../lib/clock.ts'
import type { DomainStore } from '../domain-store.ts'
import { laterRecheck } from './recheck-schedule.ts'
import type { VerificationRunner } from './verification-runner.ts'

/** A quarter of all concurrent checks, so that requests of users never wait for the schedule. */
export const RECHECKS_AT_ONCE = 8
/** After a long stop more may be due; the rest follows in the next round. */
export const RECHECKS_PER_ROUND = 50

/** Then a round starts no more checks: the next one gives every tenant its turn again, also those that were not due before. */
export const ROUND_MS = 10_000

/** Longer than a round of checks can take. A server that dies leaves its claims to the others after this. */
const LEASE_MS = 120_000

export interface RecheckDueDeps {
  readonly domains: Pick<DomainStore, 'claimDue' | 'releaseClaims' | 'findById' | 'saveRecheck'>
  readonly verifications: Pick<VerificationRunner, 'recheck'>
  readonly clock: Clock
  /** The time of all servers, by which domains are due and claims end: with clocks of their own they would claim the same domains. */
  readonly readTime: () => Promise<number>
  /** A check threw an error, which is a bug; the domain is rescheduled, so that it does not hold up the others. */
  readonly onFailure: (domainId: string, error: unknown) => void
}

/** Resolves when the round is done; starts no more checks once the signal aborts. Errors of the storage are passed on. */
export async function recheckDue(deps: RecheckDueDeps, signal: AbortSignal): Promise<void> {
  const startMs = deps.clock()
  const claimed = new Set(await deps.domains.claimDue(await deps.readTime(), RECHECKS_PER_ROUND, LEASE_MS))
  // All workers take domains from the same iterator.
  const due = [...claimed].values()
  const workers = Array.from({ length: RECHECKS_AT_ONCE }, async () => {
    for (const domainId of due) {
      const isOver = signal.aborted || deps.clock() - startMs >= ROUND_MS
      if (isOver || !(await recheck(deps, domainId))) return
      claimed.delete(domainId)
    }
  })
  const failed = (await Promise.allSettled(workers)).find((result) => result.status === 'rejected')
  if (claimed.size > 0) await deps.domains.releaseClaims([...claimed])
  if (failed) throw failed.reason
}

/** False if no more checks can run at the moment; the domain stays due. */
async function recheck(deps: RecheckDueDeps, domainId: string): Promise<boolean> {
  try {
    await deps.verifications.recheck(domainId)
    return true
  } catch (error) {
    if (error instanceof AppError && error.code === 'overloaded') return false
    if (error instanceof AppError) throw error
    deps.onFailure(domainId, error)
    const { recheck: plan } = (await deps.domains.findById(domainId)) ?? {}
    await deps.domains.saveRecheck(domainId, laterRecheck(domainId, deps.clock(), plan))
    return true
  }
}
