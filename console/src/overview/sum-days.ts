/** Hourly counts summed to the days of the page's zone; those of the server begin at midnight UTC. */
import type { Series } from '../../../src/http/v1/statistics/series.wire.ts'
import { sum } from '../api/series.ts'
import { startOfDay } from '../kit/text/zone.ts'

export function sumDays(hourly: Series): Series {
  const days = Map.groupBy(hourly.times.keys(), (index) => startOfDay(Date.parse(hourly.times[index] ?? '')))
  const sumOf = (counts: readonly number[]) =>
    [...days.values()].map((indexes) => sum(indexes.map((index) => counts[index] ?? 0)))
  return {
    ...hourly,
    bucket: 'day',
    times: [...days.keys()].map((startMs) => new Date(startMs).toISOString()),
    series: hourly.series.map((one) => ({ ...one, counts: sumOf(one.counts) })),
    rest: { ...hourly.rest, counts: sumOf(hourly.rest.counts) },
  }
}

/** When a bucket ends. The last one is cut off at the end of the period. */
export function endOfBucket({ times, to }: Series, index: number): number {
  return Date.parse(times[index + 1] ?? to)
}
