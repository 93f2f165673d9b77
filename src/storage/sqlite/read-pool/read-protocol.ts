/** The messages between the serving thread and the reading threads. */
import type { ErrorCode } from '../../../lib/app-error.ts'
import type { DayCommit } from '../days/day-commit.ts'
import type { LogReads } from './log-reads.ts'

/** Reads with one answer. */
export type SingleRead = Exclude<keyof LogReads, 'learn' | 'forget' | 'dropRemoved' | 'series'>

/** A method of LogReads, by name. */
export interface ReadCall {
  readonly name: SingleRead | 'series'
  readonly values: readonly unknown[]
}

/**
 * Sent as JSON: that is faster than a structured clone of small objects or long lists of domains, and a message for all
 * threads is written once. In order: a read sees every commit that was announced before it.
 */
export type ReaderMessage =
  | { readonly kind: 'read'; readonly id: number; readonly call: ReadCall }
  /** The next batch of a series; or no more is wanted of a read. */
  | { readonly kind: 'more' | 'stop'; readonly id: number }
  | { readonly kind: 'commits'; readonly commits: readonly DayCommit[] }
  /** Days were removed. */
  | { readonly kind: 'removed' }
  /** The last commits are unknown. */
  | { readonly kind: 'forget' }

/**
 * `isLast`: the read has ended. `code`, `errcode`: those of an AppError and of SQLite, sent separately because errors lose
 * their class and their properties between threads.
 */
export type ReaderReply = { readonly id: number } & (
  | { readonly value: unknown; readonly isLast: boolean; readonly error?: never }
  | { readonly error: Error; readonly code?: ErrorCode; readonly errcode?: number }
)
