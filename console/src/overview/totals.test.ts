import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseOverviewSearch, periodOf, writeOverviewSearch } from './overview-search.ts'
import { complaintTone, totalsBetween } from './totals.ts'

const HOUR_MS = 3_600_000

test('a bucket counts once, for the period that it begins in', () => {
  const times = [0, 1, 2, 3].map((hour) => new Date(hour * HOUR_MS).toISOString())
  const series = { times, series: [{ key: 'Delivery', total: 10, counts: [1, 2, 3, 4] }] }
  const before = totalsBetween(series, 0, 2 * HOUR_MS)
  const now = totalsBetween(series, 2 * HOUR_MS, 4 * HOUR_MS)
  assert.deepEqual([before.Delivery, now.Delivery, now.Bounce], [3, 7, 0])
})

test('complaints are rated by the limits that mailbox providers publish', () => {
  assert.deepEqual([0, 0.00099, 0.001, 0.00299, 0.003].map(complaintTone), ['green', 'green', 'amber', 'amber', 'red'])
})

test('a period consists of whole hours, and the preceding one is equally long', () => {
  const { fromMs, toMs, previousFromMs } = periodOf('24h', 'hour', 10.5 * HOUR_MS)
  assert.deepEqual([previousFromMs, fromMs, toMs], [-37 * HOUR_MS, -13 * HOUR_MS, 11 * HOUR_MS])
})

test('a daily period begins with a whole day, and the preceding one ends there', () => {
  const { fromMs, toMs, previousFromMs } = periodOf('24h', 'day', 34.5 * HOUR_MS)
  assert.deepEqual([previousFromMs, fromMs, toMs], [-35 * HOUR_MS, 0, 35 * HOUR_MS])
})

test('an address that is parsed and written again is unchanged', () => {
  for (const query of ['', '?last=30d', '?domain=acme.test&bucket=day', '?last=30d&bucket=hour']) {
    assert.equal(writeOverviewSearch(parseOverviewSearch(query)), query)
  }
  assert.equal(writeOverviewSearch(parseOverviewSearch('?last=all&bucket=year')), '')
})
