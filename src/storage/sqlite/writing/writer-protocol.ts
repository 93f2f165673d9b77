/** The messages between the serving thread and the writing thread. */
import type { ErrorCode } from '../../../lib/app-error.ts'
import type { DayCommit } from '../days/day-commit.ts'
import type { PackedRows } from './packed-rows.ts'

export interface WriterThreadOptions {
  readonly dataDir: string
}

export type WriterCall =
  | { readonly kind: 'append'; readonly rows: PackedRows; readonly nowMs: number }
  | { readonly kind: 'removeDaysBefore'; readonly timeMs: number }
  /** A writing method of one of the control stores, by name. */
  | {
      readonly kind: 'control'
      readonly store: 'domains' | 'keys' | 'quarantine'
      readonly method: string
      readonly values: readonly unknown[]
    }
  /** A commit that writes without changing anything: can the disk be written? */
  | { readonly kind: 'probe' }
  | { readonly kind: 'close' }

/** Errors do not cross threads with their class: a refusal travels as its code, anything else as its text. */
export interface WriterFailure {
  readonly code?: ErrorCode
  readonly message: string
  readonly detail?: string
}

/** `commits`: made by the call, whether or not it failed afterwards. */
export type WriterReply = { readonly id: number; readonly commits: readonly DayCommit[] } & (
  | { readonly value: unknown; readonly failure?: never }
  | { readonly failure: WriterFailure }
)
