/** What the last run of retention left behind. Port. */
import type { RetentionTime } from './retention-time.ts'

export interface RetentionState extends RetentionTime {
  /** Days that ended before this were removed. */
  readonly cutoffMs: number
  /** When the last run that had no errors ended, by the clock. */
  readonly completedAtMs?: number
}

export interface RetentionStore {
  /** Undefined before the first run. */
  find(): Promise<RetentionState | undefined>
  save(state: RetentionState): Promise<void>
}
