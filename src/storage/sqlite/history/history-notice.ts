/** What the writing thread reports about the history index. */
import type { Day } from '../days/day.ts'

/** From now on, and until a commit to the day is reported, the index knows it. */
export interface SummarizedDay {
  readonly day: Day
  /** Its last arrival number, and when that was committed. */
  readonly arrival: number
  /** That it has, without erased and lost ones. */
  readonly events: number
  readonly storedAtMs: number
}

export type HistoryNotice = { readonly notice: 'history' } & (
  | { readonly summarized: readonly SummarizedDay[]; readonly remaining: number }
  /** It was deleted, and will be built again. */
  | { readonly isLost: true }
  | { readonly failed: string; readonly day?: Day }
)
