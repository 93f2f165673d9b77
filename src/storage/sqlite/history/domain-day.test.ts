/** What a domain has in a day takes the place of what was known before; sums and the other days of the span stay right. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { Database } from '../database/database.ts'
import { typeNumber } from '../days/stored-codes.ts'
import {
  DamagedCountsError,
  type DomainDay,
  NO_COUNTS,
  readDomainDay,
  replaceDomainDay,
  requireCounts,
} from './domain-day.ts'
import { openHistoryForWriting } from './history-database.ts'
import { CountsReader, packCounts } from './packed-counts.ts'
import { SPAN_DAYS } from './span.ts'

const [DELIVERY, OPENED] = [typeNumber('Delivery'), typeNumber('Opened')]
/** The first day of a span. */
const DAY = 300 * SPAN_DAYS

type Hour = readonly [hour: number, type: number, provider: string, classification: string, count: number]

function readFrom(
  folder: string,
  hours: readonly Hour[],
  counters: readonly (readonly [type: number, count: number, changedAtMs: number])[],
) {
  using source = new Database(join(folder, 'day.db'))
  source.execute(
    'DROP TABLE IF EXISTS event_per_hour; CREATE TABLE event_per_hour (domain, hour, type, provider, classification, count)',
  )
  source.transaction(() => {
    for (const hour of hours) source.run('INSERT INTO event_per_hour VALUES (1, ?, ?, ?, ?, ?)', ...hour)
    source.run('INSERT INTO event_per_hour VALUES (2, 0, 0, ?, ?, 99)', 'of another', '')
  })
  return readDomainDay(
    source,
    1,
    counters.map(([type, count, changed]) => [1, type, count, changed]),
  )
}

function unpack(packed: Uint8Array | null | undefined) {
  const reader = packed ? CountsReader.of(packed) : undefined
  const found: (readonly [number, number, string | undefined, string | undefined, number])[] = []
  while (reader?.next()) found.push([reader.slot, reader.type, reader.provider, reader.classification, reader.count])
  return found
}

test('counts by hour, and added up over the day by type, provider and classification', () => {
  using folder = openTemporaryFolder()
  const hours: Hour[] = [
    [3, DELIVERY, 'p', 'x', 1],
    [4, DELIVERY, 'p', 'x', 2],
    [4, DELIVERY, 'px', '', 4],
    [4, OPENED, 'p', 'x', 8],
  ]
  const {
    types,
    hours: packed,
    details,
  } = readFrom(folder.path, hours, [
    [DELIVERY, 7, 50],
    [OPENED, 8, 60],
  ])
  assert.deepEqual(types, NO_COUNTS.with(DELIVERY, 7).with(OPENED, 8))
  assert.deepEqual(unpack(packed), hours)
  assert.deepEqual(details, [
    { type: DELIVERY, provider: 'p', classification: 'x', count: 3 },
    { type: DELIVERY, provider: 'px', classification: '', count: 4 },
    { type: OPENED, provider: 'p', classification: 'x', count: 8 },
  ])
})

test('the last change is that of a type that the statistics have', () => {
  using folder = openTemporaryFolder()
  const counters = [
    [DELIVERY, 1, 50],
    [typeNumber('Bounce'), 1, 40],
    [OPENED, 1, 60],
  ] as const
  assert.equal(readFrom(folder.path, [], counters).changedAtMs, 50)
  assert.equal(readFrom(folder.path, [], [[OPENED, 1, 60]]).changedAtMs, 0)
})

test('with very many providers only the counts by type are kept', () => {
  using folder = openTemporaryFolder()
  const many = (count: number, perProvider = 1): Hour[] =>
    Array.from({ length: count }, (_, index) => [index % 24, DELIVERY, `p${Math.floor(index / perProvider)}`, '', 1])
  const read = (hours: readonly Hour[]) => readFrom(folder.path, hours, [[DELIVERY, hours.length, 1]])
  const bare = (count: number) => [{ type: DELIVERY, provider: undefined, classification: undefined, count }]
  assert.equal(read(many(500)).details.length, 500)
  const more = read(many(501))
  assert.deepEqual([more.details, unpack(more.hours).length], [bare(501), 501])
  const most = read(many(5000, 10))
  assert.deepEqual([most.details.length, unpack(most.hours).length], [500, 5000])
  assert.deepEqual(read(many(5001, 11)), {
    types: NO_COUNTS.with(DELIVERY, 5001),
    changedAtMs: 1,
    hours: null,
    details: bare(5001),
  })
})

function dayOf(count: number, changedAtMs: number, provider = 'p'): DomainDay {
  const detail = { type: DELIVERY, provider, classification: '', count }
  return {
    types: NO_COUNTS.with(DELIVERY, count),
    changedAtMs,
    hours: packCounts([{ slot: 5, ...detail }]),
    details: [detail],
  }
}

function stateOf(history: Database) {
  const spans = history.allArrays<[number, number, Uint8Array]>(
    'SELECT span, domain, counts FROM domain_span ORDER BY 1, 2',
  )
  const totals = history.allArrays<[number, string, number]>('SELECT domain, types, changed_at_ms FROM total')
  return {
    days: history.allArrays<[number, number]>('SELECT day, domain FROM domain_day ORDER BY 1, 2'),
    spans: spans.map(([span, domain, counts]) => [
      span,
      domain,
      ...unpack(counts).map(([slot, , , , count]) => [slot, count]),
    ]),
    totals: totals.map(([domain, types, changed]) => [domain, (JSON.parse(types) as number[])[DELIVERY], changed]),
  }
}

test('a day is put in place of what was known of it, and taken out again', () => {
  using folder = openTemporaryFolder()
  using history = openHistoryForWriting(folder.path)
  const counts = (count: number) => NO_COUNTS.with(DELIVERY, count)
  replaceDomainDay(history, DAY, 1, NO_COUNTS, dayOf(3, 50))
  replaceDomainDay(history, DAY + SPAN_DAYS - 1, 1, NO_COUNTS, dayOf(5, 40))
  replaceDomainDay(history, DAY + SPAN_DAYS, 1, NO_COUNTS, dayOf(7, 60))
  replaceDomainDay(history, DAY, 2, NO_COUNTS, dayOf(9, 10))
  assert.deepEqual(stateOf(history), {
    days: [
      [DAY, 1],
      [DAY, 2],
      [DAY + SPAN_DAYS - 1, 1],
      [DAY + SPAN_DAYS, 1],
    ],
    spans: [
      [300, 1, [0, 3], [SPAN_DAYS - 1, 5]],
      [300, 2, [0, 9]],
      [301, 1, [0, 7]],
    ],
    totals: [
      [1, 15, 60],
      [2, 9, 10],
    ],
  })
  replaceDomainDay(history, DAY, 1, counts(3), dayOf(4, 20))
  replaceDomainDay(history, DAY + SPAN_DAYS, 1, counts(7), undefined)
  assert.deepEqual(stateOf(history), {
    days: [
      [DAY, 1],
      [DAY, 2],
      [DAY + SPAN_DAYS - 1, 1],
    ],
    spans: [
      [300, 1, [SPAN_DAYS - 1, 5], [0, 4]],
      [300, 2, [0, 9]],
    ],
    totals: [
      [1, 9, 60],
      [2, 9, 10],
    ],
  })
})

test('damaged counts are an error that names the file', () => {
  using folder = openTemporaryFolder()
  using history = openHistoryForWriting(folder.path)
  const packed = Uint8Array.from(dayOf(3, 0).hours ?? [])
  assert.ok(requireCounts(history, packed).next())
  packed[0] = (packed[0] ?? 0) ^ 1
  assert.throws(
    () => requireCounts(history, packed),
    (error) => error instanceof DamagedCountsError && error.message.includes(history.path),
  )
})
