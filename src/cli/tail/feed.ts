/** Where lines come from, portion by portion, with the place that is reached once a portion is stored. */
import type { Change } from './checkpoint.ts'

export interface Portion {
  readonly lines: readonly Buffer[]
  /** Committed after the lines are durable. */
  readonly changes: readonly Change[]
}

export interface Feed extends AsyncDisposable {
  /** What came since the last call, of bounded size; undefined when there is nothing for now. */
  next(): Promise<Portion | undefined>
  /** True when nothing will come any more, however long one waits. */
  readonly hasEnded: boolean
}

/** Tells the person who runs it, on stderr. */
export type Report = (words: string) => void

export const READ_BYTES = 128 * 1024
