import assert from 'node:assert/strict'
import { test } from 'node:test'
import { binSeries, seriesBucket } from './bin-series.ts'

const HOUR_MS = 3_600_000

test('no count is lost when hours are combined, and the bars cover the window without a gap', () => {
  const times = Array.from({ length: 50 }, (_, hour) => new Date(hour * HOUR_MS).toISOString())
  const counts = times.map((_, hour) => hour)
  const bins = binSeries({ bucket: 'hour', times, series: [{ key: 'Bounce', total: 1225, counts }] }, 12)
  assert.equal(bins.length, 10)
  assert.equal(
    bins.reduce((sum, { total }) => sum + total, 0),
    1225,
  )
  assert.deepEqual(bins[0]?.counts, { Bounce: 0 + 1 + 2 + 3 + 4 })
  for (const [index, bin] of bins.entries()) assert.equal(bin.fromMs, bins[index - 1]?.toMs ?? 0)
  assert.equal(bins.at(-1)?.toMs, 50 * HOUR_MS)
})

test('counts are by the hour until there would be too many', () => {
  assert.equal(seriesBucket(0, 30 * 24 * HOUR_MS, 96), 'hour')
  assert.equal(seriesBucket(0, 90 * 24 * HOUR_MS, 96), 'day')
})
