/** The contract of every event log for counts by hour. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { EVENT_TYPES } from '../../events/event.ts'
import { concernsSending, SERIES_GROUPS, type SeriesQuery } from '../../stats/series.ts'
import { attributedEvents, BASE_TIMESTAMP, sendingFilters } from './event-arbitraries.ts'
import { attribute, burst, freshDomains, type OpenLog, openModel, type TestedLog } from './log-scene.ts'

const BASE_HOUR = BASE_TIMESTAMP / 3600
const HOURS_PER_DAY = 24

/** Counts by origin have no classification. */
function withoutClassification({ group, filters }: Pick<SeriesQuery, 'group' | 'filters'>) {
  const { classifications: _, ...others } = filters
  return { group: group === 'classification' || group === 'kind' ? ('type' as const) : group, filters: others }
}

const query = fc.record({
  group: fc.constantFrom(...SERIES_GROUPS, 'kind' as const, 'sending_kind' as const),
  hours: fc.tuple(fc.integer({ min: 0, max: 120 }), fc.integer({ min: 0, max: 120 })),
  filters: fc.record(
    {
      types: fc.subarray([...EVENT_TYPES], { minLength: 1 }),
      providers: fc.subarray(['Google', 'Other\n', ''], { minLength: 1 }),
      classifications: fc.subarray(['InvalidRecipient', ''], { minLength: 1 }),
      ...sendingFilters,
    },
    { requiredKeys: [], noNullPrototype: true },
  ),
  asked: fc.subarray([0, 1]),
})

export function seriesContract(open: OpenLog, { numRuns = 150 } = {}): void {
  describe('counts by hour', () => {
    test('are those of the list in memory, for any group, filter and range', async () => {
      await using storage = await open()
      await fc.assert(
        fc.asyncProperty(attributedEvents, fc.array(query, { maxLength: 5 }), async (append, queries) => {
          const model = openModel()
          const domains = freshDomains()
          const events = attribute(append, domains)
          await model.append(events)
          await storage.log.append(events)
          for (const { hours, asked, ...asGiven } of queries) {
            const rest = concernsSending(asGiven) ? withoutClassification(asGiven) : asGiven
            const series: SeriesQuery = {
              ...rest,
              domainNumbers: asked.map((index) => domains[index]?.number ?? 0),
              fromHour: BASE_HOUR + Math.min(...hours),
              toHour: BASE_HOUR + Math.max(...hours),
            }
            assert.deepEqual(await countAll(storage.log, series), await countAll(model, series))
            const days = {
              ...series,
              fromHour: Math.floor(series.fromHour / HOURS_PER_DAY) * HOURS_PER_DAY,
              toHour: Math.ceil(series.toHour / HOURS_PER_DAY) * HOURS_PER_DAY,
            }
            const byDay = await countAll(storage.log, { ...days, byDay: true }, HOURS_PER_DAY)
            assert.deepEqual(byDay, await countAll(model, days, HOURS_PER_DAY))
          }
        }),
        { numRuns },
      )
    })

    test('add up for a domain with very many providers in an hour', async () => {
      await using storage = await open()
      const [domain, other] = freshDomains()
      const events = Array.from({ length: 45_000 }, (_, index) => {
        const { domainNumber, event } = burst(
          index,
          index % 100 === 0 ? other : domain,
          BASE_TIMESTAMP + (index % 7200),
        )
        return { domainNumber, event: { ...event, provider_name: `p${index}` } }
      })
      for (let at = 0; at < events.length; at += 9000) await storage.log.append(events.slice(at, at + 9000))
      const range = {
        domainNumbers: [domain.number, other.number],
        filters: {},
        fromHour: BASE_HOUR,
        toHour: BASE_HOUR + 2,
      }
      const byType = await countAll(storage.log, { ...range, group: 'type' })
      assert.equal(
        Object.values(byType).reduce((sum, count) => sum + count, 0),
        45_000,
      )
      assert.equal(Object.keys(await countAll(storage.log, { ...range, group: 'provider' })).length, 45_000)
      const whole = { ...range, toHour: BASE_HOUR + HOURS_PER_DAY, byDay: true }
      assert.equal(Object.keys(await countAll(storage.log, { ...whole, group: 'provider' })).length, 45_000)
      assert.deepEqual(await countAll(storage.log, { ...whole, group: 'type' }, HOURS_PER_DAY), {
        [`${BASE_HOUR / HOURS_PER_DAY} Delivery`]: 45_000,
      })
    })
  })
}

/** By periods of so many hours. */
export async function countAll(log: TestedLog, series: SeriesQuery, hours = 1): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for await (const some of log.series(series)) {
    for (const { hour, key, count } of some) {
      const name = `${Math.floor(hour / hours)} ${key}`
      counts[name] = (counts[name] ?? 0) + count
    }
  }
  return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)))
}
