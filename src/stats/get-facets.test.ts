import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { EmailEvent } from '../events/event.ts'
import type { CountQuery } from '../events/log/match-counts.ts'
import { openMemoryStorage } from '../storage/memory/open-memory-storage.ts'

import { type Facets, getFacets } from './get-facets.ts'
import type { SeriesQuery } from './series.ts'

const NOW = Date.UTC(2026, 2, 1, 12, 30)
const DOMAIN = { number: 1, name: 'a.test' }

/** The engine in memory, whose budget is used up after the newest half of the window. */
async function facetsOf(filters: object, isSlow: boolean, seriesMs = 0): Promise<Facets> {
  const { log } = openMemoryStorage({ clock: () => NOW, serviceMessageIdField: 'service_message_id' })
  const event = (index: number): EmailEvent => ({
    id: `m${index}`,
    timestamp: NOW / 1000 - index * 900,
    type: index % 3 === 0 ? 'Bounce' : 'Delivery',
    domain_name: DOMAIN.name,
    recipient: `user${index}@b.test`,
    response_code: index % 3 === 0 ? 550 : 250,
    provider_name: index % 2 === 0 ? 'Gmail' : 'Yahoo',
  })
  await log.append(Array.from({ length: 40 }, (_, index) => ({ domainNumber: 1, event: event(index) })))
  const count = async (query: CountQuery) => {
    if (!isSlow) return log.count(query)
    const countedTo = NOW / 1000 - 5 * 3600
    const newest = await log.count({ ...query, window: { ...query.window, startTimestamp: countedTo } })
    return { ...newest, fields: newest.fields.map((field) => ({ ...field, isNewestOnly: true })), countedTo }
  }
  const dependencies = {
    log: {
      count,
      async *series(query: SeriesQuery) {
        await delay(seriesMs)
        yield* log.series(query)
      },
    },
    domains: { findByName: async () => undefined, listNames: async () => [] },
    findDomains: async () => [DOMAIN],
    clock: () => NOW,
    budgetMs: seriesMs === 0 ? 60_000 : 2,
  }
  const asked = { filters, startTimestamp: NOW / 1000 - 9 * 3600, endTimestamp: NOW / 1000 }
  return getFacets(dependencies, { tenantId: 't', asked, shown: 'attempts' })
}

const countsOf = ({ facets }: Facets, field: string) =>
  Object.fromEntries(
    facets.find((facet) => facet.field === field)?.values.map(({ value, count }) => [value, count]) ?? [],
  )

const newestOf = ({ facets }: Facets) => facets.flatMap(({ field, isNewestOnly }) => (isNewestOnly ? [field] : []))

test('counts are exact as long as all events can be counted', async () => {
  const all = await facetsOf({}, false)
  assert.equal(all.total, 37)
  assert.ok(all.isExact && all.facets.every(({ isExact }) => isExact))
  assert.deepEqual(newestOf(all), [])
  assert.deepEqual(all.counted, all.window)
  assert.deepEqual(countsOf(all, 'domain'), { 'a.test': 37 })
})

test('otherwise the counts by hour answer for the whole window, rounded to hours, and codes for the newest part', async () => {
  const all = await facetsOf({ without: { types: ['Bounce'] } }, true)
  assert.ok(!all.isExact && all.facets.every(({ isExact }) => !isExact))
  assert.equal(all.counted.startTimestamp, Date.UTC(2026, 2, 1, 3) / 1000)
  assert.equal(all.counted.endTimestamp, Date.UTC(2026, 2, 1, 13) / 1000 - 1)
  assert.deepEqual(countsOf(all, 'type'), { Delivery: 26 })
  assert.deepEqual(countsOf(all, 'provider'), { Gmail: 13, Yahoo: 13 })
  assert.deepEqual(countsOf(all, 'code'), { '250': 14 })
  assert.deepEqual(newestOf(all), ['code', 'reply'])
  assert.equal(
    all.buckets.reduce((sum, { count }) => sum + count, 0),
    26,
  )
})

test('counts by hour that take too long answer only what they must, and the newest part the rest', async () => {
  const all = await facetsOf({}, true, 10)
  assert.deepEqual(countsOf(all, 'type'), { Delivery: 26, Bounce: 13 })
  assert.equal(all.total, 39)
  assert.deepEqual(countsOf(all, 'provider'), { Gmail: 11, Yahoo: 10 })
  assert.deepEqual(newestOf(all), ['domain', 'provider', 'classification', 'code', 'reply'])
  assert.ok(all.facets.every(({ isExact }) => !isExact))
})

test('with filters that the counts by hour do not know, only the newest part is counted, and says so', async () => {
  for (const filters of [{ codes: [{ from: 200, to: 299 }] }, { anyText: 'user' }, { without: { providers: ['x'] } }]) {
    const some = await facetsOf(filters, true)
    assert.ok(!some.isExact)
    assert.equal(some.counted.startTimestamp, NOW / 1000 - 5 * 3600)
    assert.ok(some.total > 0 && some.total <= 21)
    assert.deepEqual(newestOf(some), ['type', 'domain', 'provider', 'classification', 'code', 'reply'])
  }
})
