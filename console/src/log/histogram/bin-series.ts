/** Combines hourly or daily counts into as many bars as fit. */
import type { Facets } from '../../../../src/http/v1/log/facets.wire.ts'
import type { Series } from '../../../../src/http/v1/statistics/series.wire.ts'
import { BUCKET_MS, sumSteps } from '../../api/series.ts'
import { type EventType, isEventType } from '../../kit/marks/event-kinds.ts'

export interface Bin {
  readonly fromMs: number
  readonly toMs: number
  readonly counts: { readonly [type in EventType]?: number }
  readonly total: number
}

/** Days begin in UTC, so hours are better as long as there are not too many of them. */
export function seriesBucket(fromMs: number, toMs: number, maxBars: number): Series['bucket'] {
  return (toMs - fromMs) / BUCKET_MS.hour > maxBars * 12 ? 'day' : 'hour'
}

/** Counts of a search, in intervals that the server has chosen: a bar for each of them. */
export function binFacets(
  { bucketSeconds, buckets }: Pick<Facets, 'bucketSeconds' | 'buckets'>,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): readonly Bin[] {
  const lengthMs = bucketSeconds * 1000
  const first = Math.floor(fromMs / lengthMs)
  const bins = Array.from({ length: Math.max(1, Math.ceil(toMs / lengthMs) - first) }, (_, index) => ({
    fromMs: (first + index) * lengthMs,
    toMs: (first + index + 1) * lengthMs,
    counts: {} as { [type in EventType]?: number },
    total: 0,
  }))
  for (const { from, type, count } of buckets) {
    const bin = bins[Math.floor(Date.parse(from) / lengthMs) - first]
    if (!bin) continue
    bin.counts[type] = (bin.counts[type] ?? 0) + count
    bin.total += count
  }
  return bins
}

export function binSeries(
  { bucket, times, series }: Pick<Series, 'bucket' | 'times' | 'series'>,
  maxBars: number,
): readonly Bin[] {
  const step = Math.max(1, Math.ceil(times.length / maxBars))
  const sums = series.map(({ key, counts }) => ({ key, sums: sumSteps(counts, step) }))
  return Array.from({ length: Math.ceil(times.length / step) }, (_, index) => {
    const last = Math.min((index + 1) * step, times.length) - 1
    const counts: { [type in EventType]?: number } = {}
    let total = 0
    for (const { key, sums: all } of sums) {
      const count = all[index] ?? 0
      if (count > 0 && isEventType(key)) counts[key] = count
      total += count
    }
    const fromMs = Date.parse(times[index * step] ?? '')
    return { fromMs, toMs: Date.parse(times[last] ?? '') + BUCKET_MS[bucket], counts, total }
  })
}
