/** What a commit has added to a day, as the serving thread is told of it. */
import type { Day } from './day.ts'

export interface DayCommit {
  readonly day: Day
  /** Numbers of the last event before it and of its own last. */
  readonly arrivalBefore: number
  readonly arrival: number
  readonly counts: readonly (readonly [domain: number, type: number, count: number])[]
  readonly committedAtMs: number
}
