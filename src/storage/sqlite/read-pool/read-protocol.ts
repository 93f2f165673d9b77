/** The messages between the serving thread and the reading threads. */
import type { ErrorCode } from '../../../lib/app-error.ts'
import type { DayTrouble } from '../../storage.ts'
import type { Day } from '../days/day.ts'
import type { DayCommit } from '../days/day-commit.ts'
import type { SummarizedDay } from '../history/history-notice.ts'
import type { LogReads } from './log-reads.ts'

/** Reads with one answer. */
export type SingleRead = Exclude<
  keyof LogReads,
  'learn' | 'learnSummarized' | 'forget' | 'dropRemoved' | 'dropErased' | 'setAside' | 'takeBack' | 'series' | 'close'
>

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
  /** The history index knows these days now. */
  | { readonly kind: 'summarized'; readonly days: readonly SummarizedDay[] }
  /** Days were removed. */
  | { readonly kind: 'removed' }
  /** Rows of the day were removed. */
  | { readonly kind: 'erased'; readonly day: Day }
  /** The last commits are unknown, or the history index was replaced. */
  | { readonly kind: 'forget' }
  /** The day is left out of all reads; `isAsked`: the thread confirms when it has closed the file. */
  | { readonly kind: 'setAside'; readonly day: Day; readonly isAsked?: boolean }
  | { readonly kind: 'takeBack'; readonly day: Day }

/**
 * `isLast`: the read has ended. `code`, `errcode`: those of an AppError and of SQLite, sent separately because errors lose
 * their class and their properties between threads.
 */
export type ReaderReply = { readonly id: number } & (
  | { readonly value: unknown; readonly isLast: boolean; readonly error?: never }
  | { readonly error: Error; readonly code?: ErrorCode; readonly errcode?: number }
)

/**
 * What a reading thread says unasked: a day that it has set aside (before the answer of the read that found it), or has closed; or
 * that the history index is damaged.
 */
export type ReaderNotice =
  | { readonly trouble: DayTrouble }
  | { readonly closedDay: Day }
  | { readonly isHistoryLost: true }
