/** The overview's settings in the page's address: period, domain, hourly or daily. */
import type { Series } from '../../../src/http/v1/statistics/series.wire.ts'
import type { FigureId } from '../api/figures.ts'
import { HOUR_MS } from '../api/series.ts'
import type { EventType } from '../kit/marks/event-kinds.ts'
import { startOfDay } from '../kit/text/zone.ts'
import { fixedWindow, type LogFilters, logLink, RANGES, seriesParams, type WindowTimes } from '../search/log-search.ts'

export const OVERVIEW_RANGES = ['24h', '7d', '15d', '30d'] as const
export type OverviewRange = (typeof OVERVIEW_RANGES)[number]
export type Bucket = 'hour' | 'day'

export interface OverviewSearch {
  readonly last: OverviewRange
  /** Empty for all domains. */
  readonly domain: string
  readonly bucket: Bucket
}

const DEFAULT_RANGE: OverviewRange = '7d'

export function parseOverviewSearch(query: string): OverviewSearch {
  const params = new URLSearchParams(query)
  const last = OVERVIEW_RANGES.find((range) => range === params.get('last')) ?? DEFAULT_RANGE
  const bucket = params.get('bucket')
  return {
    last,
    domain: params.get('domain') ?? '',
    bucket: bucket === 'hour' || bucket === 'day' ? bucket : defaultBucket(last),
  }
}

function defaultBucket(last: OverviewRange): Bucket {
  return last === '30d' ? 'day' : 'hour'
}

export function writeOverviewSearch({ last, domain, bucket }: OverviewSearch): string {
  const params = new URLSearchParams()
  if (last !== DEFAULT_RANGE) params.set('last', last)
  if (domain !== '') params.set('domain', domain)
  if (bucket !== defaultBucket(last)) params.set('bucket', bucket)
  return params.size === 0 ? '' : `?${params}`
}

export interface Period extends WindowTimes {
  /** Start of the preceding period, which is equally long. */
  readonly previousFromMs: number
}

/**
 * Whole hours, because counts are hourly; the last one is not over yet. A daily chart begins with a whole day of
 * the page's zone, and the figures cover the same time.
 */
export function periodOf(last: OverviewRange, bucket: Bucket, nowMs: number): Period {
  const toMs = Math.ceil(nowMs / HOUR_MS) * HOUR_MS
  const startMs = toMs - RANGES[last].hours * HOUR_MS
  const fromMs = bucket === 'day' ? startOfDay(startMs) : startMs
  return { fromMs, toMs, previousFromMs: 2 * fromMs - toMs }
}

/** Counts of the events of one figure, or of all, by the hour: days of the page's zone are sums of hours. */
export function countParams(
  group: Series['group'],
  search: Pick<OverviewSearch, 'domain'>,
  times: WindowTimes,
  figure?: FigureId,
): URLSearchParams {
  const params = seriesParams(group, 'hour', times, filtersOf(search))
  if (figure !== undefined) params.set('figure', figure)
  return params
}

/** Events of these types, or of all; of the chosen domain, or of all. */
export function filtersOf({ domain }: Pick<OverviewSearch, 'domain'>, types: readonly EventType[] = []): LogFilters {
  return { ...(types.length > 0 && { type: types }), ...(domain !== '' && { domain: [domain] }) }
}

/** The address of the log with the events behind a figure. */
export function overviewLink(
  search: Pick<OverviewSearch, 'domain'>,
  times: WindowTimes,
  types: readonly EventType[],
  filters: LogFilters = {},
): string {
  return logLink({ filters: { ...filtersOf(search, types), ...filters }, window: fixedWindow(times) })
}
