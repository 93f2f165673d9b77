import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Series } from '../../../src/http/v1/statistics/series.wire.ts'
import { setZone } from '../kit/text/zone.ts'
import { endOfBucket, sumDays } from './sum-days.ts'

setZone('utc')

test('no count is lost when hours are summed to days, and the last day ends with the period', () => {
  const startMs = Date.UTC(2026, 0, 14, 22)
  const times = Array.from({ length: 30 }, (_, hour) => new Date(startMs + hour * 3_600_000).toISOString())
  const counts = times.map((_, hour) => hour)
  const hourly: Series = {
    bucket: 'hour',
    group: 'figure',
    from: times[0] ?? '',
    to: '2026-01-16T04:00:00.000Z',
    times,
    series: [{ key: 'bounced', total: 435, counts }],
    rest: { keys: 0, total: 0, counts: counts.map(() => 0) },
  }
  const daily = sumDays(hourly)
  assert.deepEqual(daily.times, ['2026-01-14T00:00:00.000Z', '2026-01-15T00:00:00.000Z', '2026-01-16T00:00:00.000Z'])
  assert.deepEqual(daily.series[0]?.counts, [0 + 1, (2 + 25) * 12, 26 + 27 + 28 + 29])
  assert.deepEqual(
    [0, 2].map((index) => endOfBucket(daily, index)),
    [Date.UTC(2026, 0, 15), Date.UTC(2026, 0, 16, 4)],
  )
})
