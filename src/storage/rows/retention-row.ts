/** How the table `retention` of an SQL engine is read. */
import type { RetentionState } from '../../events/retention/retention-store.ts'

export type RetentionRow = {
  timeMs: number
  clockMs: number
  offMs: number | null
  waitedMs: number | null
  cutoffMs: number
  completedAtMs: number | null
}

export function toRetentionState(row: RetentionRow): RetentionState {
  const { timeMs, clockMs, offMs, waitedMs, cutoffMs, completedAtMs } = row
  return {
    timeMs,
    clockMs,
    cutoffMs,
    ...(offMs !== null && waitedMs !== null && { doubt: { offMs, waitedMs } }),
    ...(completedAtMs !== null && { completedAtMs }),
  }
}
