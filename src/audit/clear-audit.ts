/** Use case: removes old entries of the audit log in steps, so that ingest does not wait for a large log. */
import type { AuditStore } from './audit-store.ts'

/** Removed in one write. */
const ENTRIES_PER_STEP = 1000

/** Removes the entries whose last request was before the given time; returns how many. */
export async function clearAudit(store: Pick<AuditStore, 'removeOlderThan'>, timeMs: number): Promise<number> {
  let removed = 0
  for (let step = ENTRIES_PER_STEP; step === ENTRIES_PER_STEP; removed += step) {
    step = await store.removeOlderThan(timeMs, ENTRIES_PER_STEP)
  }
  return removed
}
