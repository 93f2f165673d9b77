/** One round of the schedule: checks what is due, a few at a time. */
import { AppError } from '../lib/app-error.ts'
import type { Clock } from '../lib/clock.ts'
import type { DomainStore } from './domain-store.ts'
import { laterRecheck } from './recheck-schedule.ts'
import type { VerificationRunner } from './verification-runner.ts'

/** A quarter of what may run at all, so that those who ask never wait for the schedule. */
export const RECHECKS_AT_ONCE = 8
/** However much is due after a long stop: the rest has its turn in the next round. */
export const RECHECKS_PER_ROUND = 50

export interface RecheckDueDeps {
  readonly domains: Pick<DomainStore, 'listDue' | 'findById' | 'saveRecheck'>
  readonly verifications: Pick<VerificationRunner, 'recheck'>
  readonly clock: Clock
  /** A check that broke down, which is a bug; the domain is put off, so that the others have their turn. */
  readonly onFailure: (domainId: string, error: unknown) => void
}

/** Resolves when all of the round are done; begins no more of them once the signal aborts. Throws what storage throws. */
export async function recheckDue(deps: RecheckDueDeps, signal: AbortSignal): Promise<void> {
  const due = (await deps.domains.listDue(deps.clock(), RECHECKS_PER_ROUND)).values()
  // All draw from the same list.
  const drawers = Array.from({ length: RECHECKS_AT_ONCE }, async () => {
    for (const domainId of due) {
      if (signal.aborted || !(await recheck(deps, domainId))) return
    }
  })
  const failed = (await Promise.allSettled(drawers)).find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
}

/** False when there is no room for more at the moment: what is due stays due. */
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
