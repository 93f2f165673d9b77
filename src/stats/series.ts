/** Counts over time: queries and results. */
import type { EventType } from '../events/event.ts'
import type { ReadShare } from '../events/log/log-query.ts'

export const SERIES_BUCKETS = ['hour', 'day'] as const
export type SeriesBucket = (typeof SERIES_BUCKETS)[number]

export const SERIES_GROUPS = ['type', 'provider', 'classification', 'domain'] as const
export type SeriesGroup = (typeof SERIES_GROUPS)[number]

export interface SeriesFilters {
  readonly types?: readonly EventType[]
  /** Exact; an empty string selects events without one. */
  readonly providers?: readonly string[]
  readonly classifications?: readonly string[]
}

/** Hours since 1970 in UTC, from inclusive, to exclusive. */
export interface HourRange {
  readonly fromHour: number
  readonly toHour: number
}

export interface SeriesQuery extends HourRange, Pick<ReadShare, 'tenantId'> {
  readonly domainNumbers: readonly number[]
  readonly filters: SeriesFilters
  readonly group: SeriesGroup
  /** Counts of a day may be given together, at its first hour; the range is in whole days then. */
  readonly byDay?: boolean
}

/** Number of events of one kind in one hour. */
export interface HourCount {
  readonly hour: number
  /** The type, provider, classification or domain number; empty if the events have none. */
  readonly key: string
  readonly count: number
}
