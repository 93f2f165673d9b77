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
