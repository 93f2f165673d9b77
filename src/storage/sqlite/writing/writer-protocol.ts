/** The messages between the serving thread and the writing thread. */
import type { ErrorCode } from '../../../lib/app-error.ts'
import type { Day } from '../days/day.ts'
import type { DayCommit } from '../days/day-commit.ts'
import type { PackedRows } from './packed-rows.ts'

export type WriterCall =
  | { readonly kind: 'append'; readonly rows: PackedRows; readonly nowMs: number }
  | { readonly kind: 'removeDaysBefore'; readonly timeMs: number }
  /** Compares the files with the manifest; or continues with a day that was set aside. */
  | { readonly kind: 'checkDays'; readonly nowMs: number }
  | { readonly kind: 'acceptDay'; readonly day: Day; readonly nowMs: number }
  | ControlCall
  /** A commit that writes without changing anything, to test whether the disk can be written. */
  | { readonly kind: 'probe' }
  | { readonly kind: 'close' }

/** A writing method of one of the control stores, by name. */
export interface ControlCall {
  readonly kind: 'control'
  readonly store: 'domains' | 'keys' | 'quarantine' | 'secrets' | 'sessions' | 'audit'
  readonly method: string
  readonly values: readonly unknown[]
}

/**
 * `commits`: made by the call, whether or not it failed afterwards. `code`: that of an AppError, sent
 * separately because errors lose their class between threads.
 */
export type WriterReply = { readonly id: number; readonly commits: readonly DayCommit[] } & (
  | { readonly value: unknown; readonly error?: never }
  | { readonly error: Error; readonly code?: ErrorCode }
)
