/** The messages between the serving thread and the erasing thread. */
import type { Erasure } from '../../../events/log/event-log.ts'
import type { Day } from '../days/day.ts'
import type { DayErasure } from './erase-rows.ts'

export type ErasingCall =
  /** The first day with such rows: of all, after the given one, or only the given one. */
  FindCall | { readonly kind: 'clean'; readonly day: Day }

export interface FindCall {
  readonly kind: 'find'
  readonly erasure: Erasure
  readonly from: Day | undefined
  readonly isAfter: boolean
  /** Days whose files are not used: what they contain cannot be removed. */
  readonly setAside: readonly Day[]
}

/** Without rows and problem: nothing is to be erased up to this day, and the others were not examined yet. */
export interface FoundDay {
  readonly day: Day
  readonly rows?: DayErasure
  /** Why the day cannot be read. */
  readonly problem?: string
  /** Names of files that were deleted as a whole. */
  readonly deletedFiles?: readonly string[]
}

export interface CleanedDay {
  /** False if it has to be repeated. */
  readonly isClean: boolean
  /** Why the day cannot be rewritten. */
  readonly problem?: string
}

/** `isStorage`: errors lose their class between threads. */
export type ErasingReply =
  | { readonly id: number; readonly value: unknown; readonly error?: never }
  | { readonly id: number; readonly error: Error; readonly isStorage: boolean }
