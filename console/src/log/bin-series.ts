/** Hourly or daily counts put together into as many bars as fit. */
import type { Series } from '../../../src/http/v1/series.wire.ts'
import { type EventType, isEventType } from '../kit/event-kinds.ts'

export interface Bin {
  readonly fromMs: number
  readonly toMs: number
  readonly counts: { readonly [type in EventType]?: number }
  readonly total: number
}

const BUCKET_MS = { hour: 3_600_000, day: 86_400_000 } as const

/** Which counts to ask for. Days begin in UTC, so hours are better as long as they are not too many. */
export function seriesBucket(fromMs: number, toMs: number, barsMost: number): keyof typeof BUCKET_MS {
  return (toMs - fromMs) / BUCKET_MS.hour > barsMost * 12 ? 'day' : 'hour'
}

export function binSeries(
  { bucket, times, series }: Pick<Series, 'bucket' | 'times' | 'series'>,
  barsMost: number,
): readonly Bin[] {
  const step = Math.max(1, Math.ceil(times.length / barsMost))
  const bins: Bin[] = []
  for (let start = 0; start < times.length; start += step) {
    const end = Math.min(start + step, times.length)
    const counts: { [type in EventType]?: number } = {}
    let total = 0
    for (const { key, counts: all } of series) {
      const sum = all.slice(start, end).reduce((one, other) => one + other, 0)
      if (sum > 0 && isEventType(key)) counts[key] = sum
      total += sum
    }
    const fromMs = Date.parse(times[start] ?? '')
    bins.push({ fromMs, toMs: Date.parse(times[end - 1] ?? '') + BUCKET_MS[bucket], counts, total })
  }
  return bins
}
