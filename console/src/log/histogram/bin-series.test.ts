import assert from 'node:assert/strict'
import { test } from 'node:test'
import { binFacets, binSeries, seriesBucket } from './bin-series.ts'

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

test('counts of a search become a bar for every interval of the window, also those without events', () => {
  const buckets = [
    { from: '2026-01-01T01:00:00Z', type: 'Bounce', count: 2 },
    { from: '2026-01-01T01:00:00Z', type: 'Delivery', count: 3 },
    { from: '2026-01-01T00:00:00Z', type: 'Delivery', count: 1 },
  ] as const
  const times = { fromMs: Date.UTC(2026, 0, 1, 0, 30), toMs: Date.UTC(2026, 0, 1, 2, 30) }
  const bins = binFacets({ bucketSeconds: 3600, buckets }, times)
  assert.deepEqual(
    bins.map(({ total }) => total),
    [1, 5, 0],
  )
  assert.deepEqual(bins[1]?.counts, { Bounce: 2, Delivery: 3 })
  assert.equal(bins[0]?.fromMs, Date.UTC(2026, 0, 1))
})
