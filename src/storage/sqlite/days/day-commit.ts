/** What a commit has added to a day, as the writing thread reports it. */
import type { Day } from './day.ts'

export interface DayCommit {
  readonly day: Day
  /** The numbers of the last event before the commit and of the last event in it. */
  readonly arrivalBefore: number
  readonly arrival: number
  readonly counts: readonly (readonly [domain: number, type: number, count: number])[]
  /** Events by their code, but for the one that has no index. */
  readonly codes: readonly (readonly [domain: number, code: number, count: number])[]
  /** Of messages that are new in the day; see `hashId`. */
  readonly messageIds: readonly number[]
  readonly committedAtMs: number
  /** The same, but never earlier than that of the commit before. */
  readonly storedAtMs: number
}
