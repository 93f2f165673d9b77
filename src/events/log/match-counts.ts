/** How many events match a search, by the values of their fields and over time. */
import type { EventType } from '../event.ts'
import type { LogQuery } from './log-query.ts'

export const SENDING_FIELDS = ['sending_address', 'sending_source', 'sending_pool'] as const
export const COUNTED_FIELDS = [
  'type',
  'domain',
  'provider',
  'classification',
  'code',
  'reply',
  ...SENDING_FIELDS,
] as const
export type CountedField = (typeof COUNTED_FIELDS)[number]

/** Values of a field that are held in memory: providers, classes and sources are what senders write. */
export const COUNTED_VALUES_MAX = 1000

/** Events whose replies are counted, the newest: masking a text takes longer than everything else. */
export const COUNTED_REPLIES_MAX = 5000

export interface CountQuery
  extends Pick<LogQuery, 'domains' | 'filters' | 'window' | 'budgetMs' | 'tenantId' | 'signal'> {
  readonly fields: readonly CountedField[]
  /** Length of the intervals over time, in seconds. They begin at multiples of it. */
  readonly bucketSeconds: number
}

export interface ValueCount {
  /** A domain's number, a code in digits, a masked reply; never empty. */
  readonly value: string
  readonly count: number
}

export interface FieldCounts {
  readonly field: CountedField
  /** Most frequent first, ties by value. */
  readonly values: readonly ValueCount[]
  /** The field has more values than are counted. */
  readonly isCut: boolean
  /** The values were counted in a newest part of the events only: every count is a lower bound. */
  readonly isNewestOnly: boolean
}

export interface BucketCount {
  /** Unix seconds. */
  readonly start: number
  readonly type: EventType
  readonly count: number
}

export interface MatchCounts {
  readonly total: number
  readonly fields: readonly FieldCounts[]
  /** Those with events, newest first. */
  readonly buckets: readonly BucketCount[]
  /** Unix seconds: the budget ran out, and only events from here to the end of the window were counted. */
  readonly countedTo?: number
}

/** Most frequent first, ties by value. */
export function byCount(a: ValueCount, b: ValueCount): number {
  return b.count - a.count || (a.value < b.value ? -1 : 1)
}
