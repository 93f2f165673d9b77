/** A source of lines, portion by portion, with the position to save once a portion is stored. */
import type { Change } from './checkpoint.ts'

export interface Portion {
  readonly lines: readonly Buffer[]
  /** Committed after the lines are durable. */
  readonly changes: readonly Change[]
}

export interface Feed extends AsyncDisposable {
  /** The next lines, of bounded size; undefined if there are none for now. */
  next(): Promise<Portion | undefined>
  /** No more lines will ever come. */
  readonly hasEnded: boolean
}

/** Prints a message to stderr. */
export type Report = (words: string) => void

export const READ_BYTES = 128 * 1024
