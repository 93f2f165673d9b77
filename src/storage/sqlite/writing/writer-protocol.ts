/** The messages between the serving thread and the writing thread. */
import type { ErrorCode } from '../../../lib/app-error.ts'
import type { DayTrouble } from '../../storage.ts'
import type { Day } from '../days/day.ts'
import type { DayCommit } from '../days/day-commit.ts'
import type { DayErasure } from '../erasing/erase-rows.ts'
import type { Finding } from '../manifest/examine-day.ts'
import type { PackedRows } from './packed-rows.ts'

export type WriterCall =
  /** `wantsArrivals`: the reply has the arrival numbers of the rows. */
  | { readonly kind: 'append'; readonly rows: PackedRows; readonly nowMs: number; readonly wantsArrivals: boolean }
  | { readonly kind: 'removeDaysBefore'; readonly timeMs: number }
  /** Compares the files with the manifest; or continues with a day that was set aside. */
  | { readonly kind: 'checkDays'; readonly nowMs: number }
  | { readonly kind: 'acceptDay'; readonly day: Day; readonly nowMs: number }
  /** Another thread has read a day that could not be read. */
  | { readonly kind: 'recordFinding'; readonly finding: Finding; readonly nowMs: number }
  | { readonly kind: 'erase'; readonly day: Day; readonly erasure: DayErasure }
  /** Another thread rewrites the day: it is closed, and its events are refused. */
  | { readonly kind: 'lockDay' | 'unlockDay'; readonly day: Day }
  | ControlCall
  /** Commits that write without changing anything, to test whether everything that ingest needs can be written. */
  | { readonly kind: 'probe' }
  /** Whether the disk has room for the next commits; writes nothing. */
  | { readonly kind: 'requireRoom' }
  /** A reading thread, or the operator, has found that a day cannot be used. */
  | { readonly kind: 'setAside'; readonly trouble: DayTrouble }
  /** The day can be used again. */
  | { readonly kind: 'takeBack'; readonly day: Day }
  /** The history index was found damaged. */
  | { readonly kind: 'discardHistory' }
  | { readonly kind: 'close' }

/** A writing method of one of the control stores, by name. */
export interface ControlCall {
  readonly kind: 'control'
  readonly store:
    | 'domains'
    | 'keys'
    | 'quarantine'
    | 'secrets'
    | 'sessions'
    | 'views'
    | 'audit'
    | 'removals'
    | 'retention'
  readonly method: string
  readonly values: readonly unknown[]
}

/** What the writing thread says unasked: a day that it has set aside. Sent before the reply of the call that found it. */
export interface WriterNotice {
  readonly trouble: DayTrouble
}

/**
 * `commits`: made by the call, whether or not it failed afterwards. `arrivals`: see `StoreOutcome`. `failure`: why some of it could not be written, although
 * the call succeeded. `code`: that of an AppError, sent separately because errors lose their class between threads.
 */
export type WriterReply = {
  readonly id: number
  readonly commits: readonly DayCommit[]
  readonly arrivals?: Uint32Array
} & (
  | { readonly value: unknown; readonly failure?: Error; readonly error?: never }
  | { readonly error: Error; readonly code?: ErrorCode }
)
