/** Use case: counts over time for a tenant, in buckets of an hour or a day. */

import type { ShownFields } from '../events/log/log-query.ts'
import { type AskedDomains, findDomainsFor, type SearchLogDeps } from '../events/log/search-log.ts'
import { requireSendingShown } from '../events/log/shown-fields.ts'
import { AppError } from '../lib/app-error.ts'
import type { Clock } from '../lib/clock.ts'
import type { EventCounts } from './event-counts.ts'
import { toFigureCount } from './figures.ts'
import { concernsSending, type SeriesBucket, type SeriesFilters, type SeriesGroup, type SeriesQuery } from './series.ts'

export interface GetSeriesDeps extends Pick<SearchLogDeps, 'domains' | 'findDomains'> {
  readonly counts: Pick<EventCounts, 'series'>
  readonly clock: Clock
}

export interface GetSeriesRequest extends AskedDomains {
  readonly tenantId: string
  readonly bucket: SeriesBucket
  /** `figure`: the types of each figure together. */
  readonly group: SeriesGroup | 'figure'
  readonly filters: SeriesFilters
  /** Default: the least. */
  readonly shown?: ShownFields
  /** Unix seconds, both inclusive. */
  readonly startTimestamp?: number
  readonly endTimestamp?: number
  /** Maximum number of series. */
  readonly limit: number
}

export interface CountedSeries {
  readonly key: string
  readonly total: number
  readonly counts: readonly number[]
}

export interface SeriesResult {
  /** Start of each bucket. */
  readonly timesMs: readonly number[]
  /** End of the last bucket. */
  readonly endMs: number
  /** Largest first. */
  readonly series: readonly CountedSeries[]
  /** The sum of the series beyond the limit. */
  readonly rest: { readonly keys: number; readonly total: number; readonly counts: readonly number[] }
}

const HOUR_SECONDS = 3600
const HOURS: Readonly<Record<SeriesBucket, number>> = { hour: 1, day: 24 }
const DEFAULT_BUCKETS: Readonly<Record<SeriesBucket, number>> = { hour: 24, day: 30 }
/** Hours over 100 days; more is not readable as a chart. */
const BUCKETS_MAX = 2400
/** Counts in one response. */
const COUNTS_MAX = 500_000

export async function getSeries(deps: GetSeriesDeps, request: GetSeriesRequest): Promise<SeriesResult> {
  const { group } = request
  return group === 'figure'
    ? countSeries({ ...deps, counts: toFigureCounts(deps.counts) }, { ...request, group: 'type' })
    : countSeries(deps, { ...request, group })
}

function toFigureCounts(counts: GetSeriesDeps['counts']): GetSeriesDeps['counts'] {
  return {
    async *series(query) {
      for await (const counted of counts.series(query)) yield counted.map(toFigureCount)
    },
  }
}

async function countSeries(
  deps: GetSeriesDeps,
  request: GetSeriesRequest & { readonly group: SeriesGroup },
): Promise<SeriesResult> {
  const { bucket, group, filters, limit } = request
  if (concernsSending(request)) requireSendingCounts(request)
  const range = toBucketRange(request, deps.clock())
  const hours = HOURS[bucket]
  const length = (range.toHour - range.fromHour) / hours
  if (length * limit > COUNTS_MAX) {
    throw new AppError(
      'invalid_request',
      `limit times ${length} buckets exceeds ${COUNTS_MAX} counts; use a smaller limit or a shorter period`,
    )
  }
  const domains = await findDomainsFor(deps, request.tenantId)(request)
  const { tenantId } = request
  const domainNumbers = domains.map(({ number }) => number)
  const query = { tenantId, domainNumbers, filters, group, byDay: bucket === 'day', ...range }
  const bucketOf = (hour: number) => Math.floor((hour - range.fromHour) / hours)
  const { totals, counts } = await addUp(deps.counts, query, { length, limit, bucketOf })
  const largest = [...totals.keys()].sort((a, b) => (totals.get(b) ?? 0) - (totals.get(a) ?? 0) || (a < b ? -1 : 1))
  const rest = zeros(length)
  const countsByKey = new Map(largest.slice(0, limit).map((key) => [key, counts?.get(key) ?? zeros(length)]))
  // A second pass: counts per bucket are held only for the largest keys, of which there may be many more than the limit.
  if (!counts) {
    for await (const counted of deps.counts.series(query)) {
      for (const { hour, key, count } of counted) addTo(countsByKey.get(key) ?? rest, bucketOf(hour), count)
    }
  }
  const names = new Map(domains.map(({ number, name }) => [String(number), name]))
  const toName = (key: string) => (group === 'domain' ? (names.get(key) ?? '') : key)
  return {
    timesMs: Array.from({ length }, (_, at) => (range.fromHour + at * hours) * HOUR_SECONDS * 1000),
    endMs: range.toHour * HOUR_SECONDS * 1000,
    series: [...countsByKey].map(([key, counts]) => ({ key: toName(key), total: sum(counts), counts })),
    rest: { keys: Math.max(0, totals.size - limit), total: sum(rest), counts: rest },
  }
}

/** Throws AppError `forbidden` or `invalid_request`. */
function requireSendingCounts({ group, filters, shown }: GetSeriesRequest): void {
  requireSendingShown(shown)
  if (group !== 'classification' && !filters.classifications) return
  throw new AppError(
    'invalid_request',
    'Counts by sending address have no classification; leave out classification or sending_address, sending_source and sending_pool',
  )
}

/** `counts`: undefined if there are more keys than the limit. */
async function addUp(
  counts: GetSeriesDeps['counts'],
  query: SeriesQuery,
  { length, limit, bucketOf }: { length: number; limit: number; bucketOf: (hour: number) => number },
): Promise<{ totals: ReadonlyMap<string, number>; counts: ReadonlyMap<string, number[]> | undefined }> {
  const totals = new Map<string, number>()
  const byKey = new Map<string, number[]>()
  for await (const counted of counts.series(query)) {
    for (const { hour, key, count } of counted) {
      totals.set(key, (totals.get(key) ?? 0) + count)
      let ofKey = byKey.get(key)
      if (!ofKey && totals.size <= limit) {
        ofKey = zeros(length)
        byKey.set(key, ofKey)
      }
      if (ofKey) addTo(ofKey, bucketOf(hour), count)
    }
  }
  return { totals, counts: totals.size <= limit ? byKey : undefined }
}

function addTo(counts: number[], at: number, count: number): void {
  counts[at] = (counts[at] ?? 0) + count
}

/** Rounded outwards to whole buckets. */
function toBucketRange(
  { bucket, startTimestamp, endTimestamp }: GetSeriesRequest,
  nowMs: number,
): { readonly fromHour: number; readonly toHour: number } {
  const hours = HOURS[bucket]
  const bucketOf = (timestamp: number) => Math.floor(timestamp / HOUR_SECONDS / hours)
  const last = bucketOf(endTimestamp ?? Math.floor(nowMs / 1000))
  const first =
    startTimestamp === undefined ? Math.max(0, last + 1 - DEFAULT_BUCKETS[bucket]) : bucketOf(startTimestamp)
  if (startTimestamp !== undefined && endTimestamp !== undefined && startTimestamp > endTimestamp) {
    throw new AppError('invalid_request', 'from must not be after to')
  }
  if (first > last) throw new AppError('invalid_request', 'from is in the future; to defaults to now')
  if (last + 1 - first > BUCKETS_MAX) {
    throw new AppError(
      'invalid_request',
      `from and to are more than ${BUCKETS_MAX} buckets apart; use larger buckets or a shorter period`,
    )
  }
  return { fromHour: first * hours, toHour: (last + 1) * hours }
}

function zeros(length: number): number[] {
  return Array.from({ length }, () => 0)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
