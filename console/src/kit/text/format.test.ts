import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatAgo, formatBytes, formatCount, formatDuration, formatPercent, formatShare, formatUtc } from './format.ts'

test('numbers are separated by thin spaces', () => {
  assert.equal(formatCount(1_234_567), '1\u2009234\u2009567')
  assert.equal(formatBytes(999), '999\u2009B')
  assert.equal(formatBytes(48_213), '48.2\u2009KB')
  assert.equal(formatBytes(1_500_000_000), '1.5\u2009GB')
})

test('percentages have as many digits as they need, and only a true 100 % shows as such', () => {
  assert.equal(formatPercent(0), '0\u2009%')
  assert.equal(formatPercent(0.0014), '0.14\u2009%')
  assert.equal(formatPercent(0.024), '2.4\u2009%')
  assert.equal(formatPercent(0.9996), '99.96\u2009%')
  assert.equal(formatPercent(1), '100\u2009%')
  assert.equal(formatShare(1, 0), '–')
})

test('durations use their two largest units', () => {
  const texts = [0, 900, 2100, 12_000, 61_000, 600_000, 12_000_000, 90_000_000].map(formatDuration)
  assert.deepEqual(texts, ['0 ms', '900 ms', '2.1 s', '12 s', '1 min 1 s', '10 min', '3 h 20 min', '1 d 1 h'])
})

test('relative times are rounded; exact times are in UTC to the second', () => {
  const now = Date.UTC(2026, 0, 15, 12)
  assert.deepEqual(
    [0, 60_000, 7_200_000, 172_800_000].map((ms) => formatAgo(now - ms, now)),
    ['just now', '1 min ago', '2 h ago', '2 d ago'],
  )
  assert.equal(formatAgo(now + 7_200_000, now), 'in 2 h')
  assert.equal(formatUtc(now), '2026-01-15T12:00:00Z')
})
