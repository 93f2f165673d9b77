/** Counts over time: the query, and sums over its buckets. */
import { useQuery } from '@tanstack/react-query'
import type { Series } from '../../../src/http/v1/statistics/series.wire.ts'
import { useReading } from './reading.ts'

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
export const BUCKET_MS = { hour: HOUR_MS, day: DAY_MS } as const

interface SeriesOptions {
  readonly isEnabled?: boolean
  readonly refetchMs?: number | false
  /** A new epoch fetches the same counts again. */
  readonly epoch?: number
}

/** While other parameters are being fetched, the previous counts stay if they are grouped the same way. */
export function useSeries(params: URLSearchParams, options: SeriesOptions = {}) {
  const { isEnabled = true, refetchMs = false, epoch = 0 } = options
  const { pathOf } = useReading()
  return useQuery<Series>({
    queryKey: [pathOf('/stats/series', params), epoch],
    placeholderData: (previous) => (previous?.group === params.get('group') ? previous : undefined),
    refetchInterval: refetchMs,
    enabled: isEnabled,
  })
}

export function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}

/** Sums of `step` consecutive counts each; the last one may cover fewer. */
export function sumSteps(counts: readonly number[], step: number): readonly number[] {
  return Array.from({ length: Math.ceil(counts.length / step) }, (_, index) =>
    sum(counts.slice(index * step, (index + 1) * step)),
  )
}
