import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Finding } from '../../../src/http/v1/statistics/insights.wire.ts'
import { type Figure, totalsOf, wholeOf } from '../api/figures.ts'
import { setZone } from '../kit/text/zone.ts'
import { complaintTone } from './complaint-limits.ts'
import { describeBriefly, describeUsual } from './finding-text.ts'
import { countParams, parseOverviewSearch, periodOf, writeOverviewSearch } from './overview-search.ts'

const HOUR_MS = 3_600_000
setZone('utc')

test('a figure is a share of the figures that its definition names, and otherwise a count', () => {
  const totals = totalsOf({ series: [{ key: 'delivered', total: 90, counts: [90] }] })
  const figure = {
    id: 'bounced',
    title: '',
    meaning: '',
    types: ['Bounce'],
    shareOf: ['delivered', 'bounced'],
  } as const
  assert.equal(wholeOf(figure, totals), 90)
  assert.equal(wholeOf(figure, { ...totals, bounced: 10 }), 100)
  assert.equal(wholeOf({ ...figure, shareOf: [] } satisfies Figure, totals), undefined)
})

test('an estimate is not called usual', () => {
  const of = (isNew: boolean, basis: 'weeks' | 'hours' | 'none') => describeUsual({ usual: 6.8, isNew }, { basis })
  assert.deepEqual([of(false, 'weeks'), of(false, 'none')], ['usually 7', ''])
  assert.deepEqual(
    [of(true, 'weeks'), of(true, 'hours')],
    ['not seen in the earlier weeks', 'not seen in the hours before'],
  )
})

test('a finding is named in a few words', () => {
  const finding = { figure: 'bounced', address: null, provider: 'Gmail', count: 120, since: '1970-01-01T06:00:00Z' }
  const brief = describeBriefly({ ...finding, until: null } as Finding, 10 * HOUR_MS)
  assert.equal(brief, 'Gmail, 120 bounces since 06:00')
})

test('all counts of the page cover the same hours or days', () => {
  const search = parseOverviewSearch('?last=24h')
  const period = periodOf('24h', 'hour', 34.5 * HOUR_MS)
  const params = countParams('provider', search, period, 'deferred')
  assert.deepEqual(Object.fromEntries(params), {
    group: 'provider',
    bucket: 'hour',
    from: '1970-01-01T11:00:00.000Z',
    to: '1970-01-02T11:00:00.000Z',
    figure: 'deferred',
  })
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
