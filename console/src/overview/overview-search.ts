/** What the overview is about, as the address has it: how far back, which domain, by the hour or by the day. */
import { RANGES } from '../log/log-search.ts'

export const OVERVIEW_RANGES = ['24h', '7d', '15d', '30d'] as const
export type OverviewRange = (typeof OVERVIEW_RANGES)[number]
export type Bucket = 'hour' | 'day'

export interface OverviewSearch {
  readonly last: OverviewRange
  /** Empty for all. */
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
  const text = params.toString()
  return text === '' ? '' : `?${text}`
}

export interface Period {
  readonly fromMs: number
  readonly toMs: number
  /** As long, just before. */
  readonly previousFromMs: number
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/**
 * Whole hours, because counts are kept by the hour; the last one is not over yet. By the day it begins with a day, so that
 * the figures count what the chart shows.
 */
export function periodOf(last: OverviewRange, bucket: Bucket, nowMs: number): Period {
  const toMs = Math.ceil(nowMs / HOUR_MS) * HOUR_MS
  const startMs = toMs - RANGES[last].hours * HOUR_MS
  const fromMs = bucket === 'day' ? Math.floor(startMs / DAY_MS) * DAY_MS : startMs
  return { fromMs, toMs, previousFromMs: 2 * fromMs - toMs }
}
