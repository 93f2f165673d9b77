/** Counts over time: what can be asked, and what comes back. */
import type { EventType } from '../events/event.ts'

export const SERIES_BUCKETS = ['hour', 'day'] as const
export type SeriesBucket = (typeof SERIES_BUCKETS)[number]

export const SERIES_GROUPS = ['type', 'provider', 'classification', 'domain'] as const
export type SeriesGroup = (typeof SERIES_GROUPS)[number]

export interface SeriesFilters {
  readonly types?: readonly EventType[]
  /** Exact; an empty text stands for events that name none. */
  readonly providers?: readonly string[]
  readonly classifications?: readonly string[]
}

/** Hours since 1970 in UTC, first inclusive, last exclusive. */
export interface HourRange {
  readonly fromHour: number
  readonly toHour: number
}

export interface SeriesQuery extends HourRange {
  readonly domainNumbers: readonly number[]
  readonly filters: SeriesFilters
  readonly group: SeriesGroup
}

/** How many events of one kind there were in one hour. */
export interface HourCount {
  readonly hour: number
  /** The type, provider or classification; of a domain its number. Empty where an event names none. */
  readonly key: string
  readonly count: number
}
