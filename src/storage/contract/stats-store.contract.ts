/** What every store of counts promises about series, whatever it is built on. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { type EmailEvent, EVENT_TYPES } from '../../events/event.ts'
import type { AttributedEvent } from '../../events/event-store.ts'
import { SERIES_GROUPS, type SeriesGroup, type SeriesQuery } from '../../stats/series.ts'
import type { Storage } from '../storage.ts'
import { attributedEvents, BASE_TIMESTAMP } from './event-arbitraries.ts'
import { LogModel } from './log-model.ts'

type Counts = Pick<Storage, 'events' | 'stats'>

const HOUR = 3600
const BASE_HOUR = BASE_TIMESTAMP / HOUR

const query = fc.record({
  group: fc.constantFrom(...SERIES_GROUPS),
  hours: fc.tuple(fc.integer({ min: 0, max: 120 }), fc.integer({ min: 0, max: 120 })),
  filters: fc.record(
    {
      types: fc.subarray([...EVENT_TYPES], { minLength: 1 }),
      providers: fc.subarray(['Google', 'Other\n', ''], { minLength: 1 }),
      classifications: fc.subarray(['InvalidRecipient', ''], { minLength: 1 }),
    },
    { requiredKeys: [], noNullPrototype: true },
  ),
  asked: fc.subarray([0, 1]),
})

export function seriesContract(open: () => Promise<Counts & AsyncDisposable>): void {
  describe('counts by hour', () => {
    test('are those of a plain list of events, for any group, filter and range', async () => {
      await using storage = await open()
      let lastDomain = 200_000
      await fc.assert(
        fc.asyncProperty(attributedEvents, fc.array(query, { maxLength: 5 }), async (append, queries) => {
          lastDomain += 2
          const domains = [lastDomain, lastDomain + 1]
          const events = append.map(({ domainNumber, event }) => ({ domainNumber: domains[domainNumber] ?? 0, event }))
          const stored = distinct(events)
          await storage.events.append(events)
          for (const { hours, asked, ...rest } of queries) {
            const series: SeriesQuery = {
              ...rest,
              domainNumbers: asked.map((place) => domains[place] ?? 0),
              fromHour: BASE_HOUR + Math.min(...hours),
              toHour: BASE_HOUR + Math.max(...hours),
            }
            assert.deepEqual(await countAll(storage, series), countModel(stored, series))
          }
        }),
        { numRuns: 150 },
      )
    })
  })
}

function distinct(events: readonly AttributedEvent[]): readonly AttributedEvent[] {
  const model = new LogModel()
  return events.filter((event) => model.append([event]).stored === 1)
}

async function countAll({ stats }: Counts, series: SeriesQuery): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for await (const some of stats.countsByHour(series)) {
    for (const { hour, key, count } of some) add(counts, hour, key, count)
  }
  return sorted(counts)
}

function countModel(events: readonly AttributedEvent[], series: SeriesQuery): Record<string, number> {
  const { types, providers, classifications } = series.filters
  const counts: Record<string, number> = {}
  for (const { domainNumber, event } of events) {
    const hour = Math.floor(event.timestamp / HOUR)
    const isCounted =
      series.domainNumbers.includes(domainNumber) &&
      hour >= series.fromHour &&
      hour < series.toHour &&
      (types === undefined || types.includes(event.type)) &&
      (providers === undefined || providers.includes(event.provider_name ?? '')) &&
      (classifications === undefined || classifications.includes(event.bounce_classification ?? ''))
    if (isCounted) add(counts, hour, keyOf(series.group, domainNumber, event), 1)
  }
  return sorted(counts)
}

function keyOf(group: SeriesGroup, domainNumber: number, event: EmailEvent): string {
  if (group === 'type') return event.type
  if (group === 'provider') return event.provider_name ?? ''
  return group === 'classification' ? (event.bounce_classification ?? '') : String(domainNumber)
}

function add(counts: Record<string, number>, hour: number, key: string, count: number): void {
  const name = `${hour} ${key}`
  counts[name] = (counts[name] ?? 0) + count
}

function sorted(counts: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)))
}
