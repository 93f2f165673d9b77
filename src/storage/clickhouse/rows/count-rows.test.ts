/** The counts of a batch are those that the list in memory has for the same events. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { EVENT_TYPES, type EventExtension } from '../../../events/event.ts'
import type { AttributedEvent } from '../../../events/log/event-log.ts'
import { ORIGINS_PER_DAY } from '../../../stats/series.ts'
import { attributedEvents, BASE_TIMESTAMP } from '../../contract/event-arbitraries.ts'
import { attribute, burst, freshDomains, openModel } from '../../contract/log-scene.ts'
import { countAll } from '../../contract/series.contract.ts'
import { splitOriginText } from '../../rows/origin-text.ts'
import { type CountedOrigins, countHours, countSending, listChanges, originsKey } from './count-rows.ts'
import { encodeChanges, encodeHours, encodeSending } from './encode-rows.ts'
import { type EventRow, toEventRow } from './event-row.ts'

const ALL_HOURS = { filters: {}, fromHour: 0, toHour: 1_000_000 }

function distinct(events: readonly AttributedEvent[]): readonly EventRow[] {
  const known = new Set<bigint>()
  return events.map(toEventRow).filter(({ key }) => !known.has(key) && known.add(key))
}

function add(counts: Record<string, number>, name: string, n: number): void {
  counts[name] = (counts[name] ?? 0) + n
}

function sorted(counts: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)))
}

describe('the counts of a batch', () => {
  test('are those of its events, by every group', async () => {
    await fc.assert(
      fc.asyncProperty(attributedEvents, async (given) => {
        const domains = freshDomains()
        const events = attribute(given, domains)
        const model = openModel()
        await model.append(events)
        const domainNumbers = domains.map(({ number }) => number)
        const rows = countHours(distinct(events), '7')
        for (const [group, keyOf] of [
          ['type', ({ type }) => EVENT_TYPES[type] ?? ''],
          ['provider', ({ provider }) => provider],
          ['classification', ({ classification }) => classification],
          ['domain', ({ domain }) => String(domain)],
        ] as readonly ['type' | 'provider' | 'classification' | 'domain', (row: (typeof rows)[number]) => string][]) {
          const counts: Record<string, number> = {}
          for (const row of rows) add(counts, `${row.hour} ${keyOf(row)}`, row.n)
          assert.deepEqual(sorted(counts), await countAll(model, { ...ALL_HOURS, domainNumbers, group }))
        }
        const sent: Record<string, number> = {}
        for (const { hour, origin, n } of countSending(distinct(events), new Map(), '7')) {
          add(sent, `${hour} ${splitOriginText(origin)[1]}`, n)
        }
        assert.deepEqual(sorted(sent), await countAll(model, { ...ALL_HOURS, domainNumbers, group: 'sending_source' }))
        const changed = listChanges(distinct(events), 5).map(({ domain }) => domain)
        assert.deepEqual(new Set(changed), new Set((await model.counts(domainNumbers)).keys()))
      }),
      { numRuns: 100 },
    )
  })

  test('the first origins of a domain and day are counted, the others together, whichever batch they come in', () => {
    const [domain, other] = freshDomains()
    const sent = (index: number, number: number, extension: EventExtension, owner = domain) =>
      toEventRow({ ...burst(index, owner, BASE_TIMESTAMP + number), extension })
    const address = (number: number) => ({ sending_address: `10.0.${number >> 8}.${number & 255}` })
    const first = Array.from({ length: ORIGINS_PER_DAY - 1 }, (_, index) => sent(index, 0, address(index)))
    const counted = countSending(first, new Map(), '1')
    assert.equal(counted.length, ORIGINS_PER_DAY - 1)
    const known: CountedOrigins = new Map([
      [originsKey(domain.number, BASE_TIMESTAMP), new Set(counted.map(({ origin }) => origin))],
    ])
    const more = [
      sent(1000, 0, address(900)),
      sent(1001, 1, address(901)),
      sent(1002, 2, address(902)),
      sent(1003, 3, address(900)),
      sent(1004, 4, address(3)),
      sent(1005, 86_400, address(905)),
      sent(1006, 0, address(906), other),
      sent(1007, 0, {}),
    ]
    assert.deepEqual(
      countSending(more, known, '2').map(({ origin, n }) => [splitOriginText(origin)[0], n]),
      [
        ['10.0.3.132', 2],
        ['', 2],
        ['10.0.0.3', 1],
        ['10.0.3.137', 1],
        ['10.0.3.138', 1],
      ],
    )
  })

  test('equal counts of two batches are different bytes, and those of one batch the same', () => {
    const [domain] = freshDomains()
    const rows = [toEventRow({ ...burst(1, domain), extension: { sending_pool: 'bulk' } })]
    const hours = (batch: string) => encodeHours(countHours(rows, batch))
    const sending = (batch: string) => encodeSending(countSending(rows, new Map(), batch))
    assert.deepEqual(hours('1'), hours('1'))
    assert.notDeepEqual(hours('1'), hours('2'))
    assert.deepEqual(sending('1'), sending('1'))
    assert.notDeepEqual(sending('1'), sending('2'))
    assert.equal(
      Buffer.from(encodeChanges([{ domain: 1, changedAtMs: 258 }])).toString('hex'),
      '010000000201000000000000',
    )
  })
})
