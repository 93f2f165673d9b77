/** Counts over time: queries and results. */
import { EVENT_TYPES, type EventType } from '../events/event.ts'
import type { ReadShare } from '../events/log/log-query.ts'

export const SERIES_BUCKETS = ['hour', 'day'] as const
export type SeriesBucket = (typeof SERIES_BUCKETS)[number]

export const SENDING_GROUPS = ['sending_address', 'sending_source', 'sending_pool'] as const
export type SendingGroup = (typeof SENDING_GROUPS)[number]

export const SERIES_GROUPS = ['type', 'provider', 'classification', 'domain', ...SENDING_GROUPS] as const
export type SeriesGroup = (typeof SERIES_GROUPS)[number]

/**
 * `kind`: by type, provider and classification at the same time, see `writeKind`; not of sending addresses. `sending_kind`: by type
 * and sending address, written as a kind of that "provider" without a classification, which counts by origin do not have.
 */
export type CountGroup = SeriesGroup | 'kind' | 'sending_kind'

/** Between the parts of a kind. What senders call a provider may contain it, which mixes up only their own counts. */
export const KIND_SEPARATOR = '\u001f'

export interface Kind {
  readonly type: EventType | undefined
  /** Empty if the events have none. */
  readonly provider: string
  readonly classification: string
}

/** `type`: its index in EVENT_TYPES. */
export function writeKind(type: number, provider: string, classification: string): string {
  return `${type}${KIND_SEPARATOR}${provider}${KIND_SEPARATOR}${classification}`
}

export function parseKind(key: string): Kind {
  const [type, provider = '', ...classification] = key.split(KIND_SEPARATOR)
  return { type: EVENT_TYPES[Number(type)], provider, classification: classification.join(KIND_SEPARATOR) }
}

export interface SeriesFilters {
  readonly types?: readonly EventType[]
  /** Exact; an empty string selects events without one. */
  readonly providers?: readonly string[]
  readonly classifications?: readonly string[]
  /** Exact. */
  readonly sendingAddresses?: readonly string[]
  readonly sendingSources?: readonly string[]
  readonly sendingPools?: readonly string[]
}

/**
 * Origins (address, source and pool) by which the events of one domain are counted in one day: the first ones. Events of further
 * origins are counted together, under the key OTHER_ORIGINS.
 */
export const ORIGINS_PER_DAY = 256

/**
 * Whether only events are counted for which a mail server has reported an origin. Those counts have no classification: the query
 * must not name one.
 */
export function concernsSending({ group, filters }: Pick<SeriesQuery, 'group' | 'filters'>): boolean {
  const { sendingAddresses, sendingSources, sendingPools } = filters
  return group.startsWith('sending_') || (sendingAddresses ?? sendingSources ?? sendingPools) !== undefined
}

/** Hours since 1970 in UTC, from inclusive, to exclusive. */
export interface HourRange {
  readonly fromHour: number
  readonly toHour: number
}

export interface SeriesQuery extends HourRange, Pick<ReadShare, 'tenantId'> {
  readonly domainNumbers: readonly number[]
  readonly filters: SeriesFilters
  readonly group: CountGroup
  /** Counts of a day may be given together, at its first hour; the range is in whole days then. */
  readonly byDay?: boolean
}

/** Number of events of one kind in one hour. */
export interface HourCount {
  readonly hour: number
  /** The type, provider, classification, domain number, part of the origin or kind; empty if the events have none. */
  readonly key: string
  readonly count: number
}
