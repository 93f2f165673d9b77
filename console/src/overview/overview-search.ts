/** The overview's settings in the page's address: period, domain, hourly or daily. */
import { DAY_MS, HOUR_MS } from '../api/series.ts'
import type { EventType } from '../kit/marks/event-kinds.ts'
import { fixedWindow, type LogFilters, logLink, RANGES, type WindowTimes } from '../search/log-search.ts'

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
 * Whole hours, because counts are hourly; the last one is not over yet. A daily chart begins with a whole day, and the
 * figures cover the same time.
 */
export function periodOf(last: OverviewRange, bucket: Bucket, nowMs: number): Period {
  const toMs = Math.ceil(nowMs / HOUR_MS) * HOUR_MS
  const startMs = toMs - RANGES[last].hours * HOUR_MS
  const fromMs = bucket === 'day' ? Math.floor(startMs / DAY_MS) * DAY_MS : startMs
  return { fromMs, toMs, previousFromMs: 2 * fromMs - toMs }
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
