/** Counts by hour are those of the events, whichever way they are added up. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { EVENT_TYPES, type EventType } from '../../../events/event.ts'
import { type CountGroup, type SeriesFilters, type SeriesQuery, writeKind } from '../../../stats/series.ts'
import { DayFiles } from '../days/day-files.ts'
import { HistoryReader } from '../history/history-reader.ts'
import { HistoryWriter } from '../history/history-writer.ts'
import { SEARCH_THRESHOLDS } from '../reading/day-plan.ts'
import { DayReaders } from '../reading/day-readers.ts'
import { DayWriters } from '../writing/day-writers.ts'
import { toEventRow } from '../writing/event-row.ts'
import { listHourCounts, toKey } from './hour-counts.ts'

const MIDNIGHT = 1_772_323_200
const FIRST_HOUR = MIDNIGHT / 3600
const HOURS = 48

interface Counted {
  readonly domain: number
  readonly hour: number
  readonly type: EventType
  readonly provider: string
  readonly classification: string
  readonly address: string
}

/** Of three domains on two days, in the first and the last hours of each and some others. */
const EVENTS: readonly Counted[] = [0, 1, 11, 12, 22, 23, 24, 25, 40, 46, 47].flatMap((hour, at) =>
  [1, 2, 3].map((domain) => ({
    domain,
    hour: FIRST_HOUR + hour,
    type: (['Delivery', 'Bounce', 'TransientFailure'] as const)[(at + domain) % 3] ?? 'Delivery',
    provider: ['', 'Gmail', 'Yahoo'][(at * domain) % 3] ?? '',
    classification: ['', 'Spam'][(at + domain) % 2] ?? '',
    address: `192.0.2.${at % 2}`,
  })),
)

/**
 * `stated`: how many events each domain is said to have, from which it follows how they are counted. `isSummarized`: the days are in the
 * history index.
 */
function openReaders(stated: readonly number[] = [], isSummarized = false) {
  const folder = openTemporaryFolder()
  const files = new DayFiles(folder.path)
  const writers = new DayWriters(files, () => false)
  const rows = EVENTS.map(({ domain, hour, type, provider, classification, address }, index) => {
    const texts = {
      ...(provider !== '' && { provider_name: provider }),
      ...(classification !== '' && { bounce_classification: classification }),
    }
    const own = { id: `m${index}`, timestamp: hour * 3600 + index, domain_name: 'a.test', recipient: 'u@b.test' }
    const event = { ...own, type, ...texts }
    return toEventRow({ domainNumber: domain, event, extension: { sending_address: address } })
  })
  writers.store([rows], 1)
  writers.close()
  for (const day of files.list()) {
    using db = files.openForWriting(day, 1000)
    for (const [index, count] of stated.entries()) {
      db.run('UPDATE counter SET count = 0 WHERE domain = ?', index + 1)
      db.run(
        'INSERT OR REPLACE INTO counter (domain, type, count, changed_at_ms) VALUES (?, 8, ?, 1)',
        index + 1,
        count,
      )
    }
  }
  if (isSummarized) {
    const writer = new HistoryWriter({
      dataDir: folder.path,
      files,
      isBusy: () => false,
      quietMs: 0,
      notify: () => undefined,
    })
    while (writer.step() === 0);
    writer.close()
  }
  const history = new HistoryReader(folder.path)
  const readers = new DayReaders(files, 'service_message_id', SEARCH_THRESHOLDS, { history })
  const close = () => {
    readers.close()
    folder[Symbol.dispose]()
  }
  return { readers, close }
}

function expectedOf({ domainNumbers, fromHour, toHour, group, filters, byDay }: SeriesQuery) {
  const { types, providers, classifications, sendingAddresses } = filters
  const counts: Record<string, number> = {}
  for (const { domain, hour, type, provider, classification, address } of EVENTS) {
    if (!domainNumbers.includes(domain) || hour < fromHour || hour >= toHour) continue
    if (types && !types.includes(type)) continue
    if (providers && !providers.includes(provider)) continue
    if (classifications && !classifications.includes(classification)) continue
    if (sendingAddresses && !sendingAddresses.includes(address)) continue
    const kind = writeKind(EVENT_TYPES.indexOf(type), provider, classification)
    const key = { type, provider, classification, domain: String(domain), kind, sending_address: address }[
      group as 'type'
    ]
    const name = `${byDay ? hour - (hour % 24) : hour} ${key}`
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

async function countAll(readers: DayReaders, query: SeriesQuery) {
  const counts: Record<string, number> = {}
  let parts = 0
  for await (const addTo of listHourCounts(readers, query)) {
    parts++
    addTo((hour, key, count) => {
      const name = `${hour} ${toKey(query.group, key)}`
      counts[name] = (counts[name] ?? 0) + count
    })
  }
  return { counts, parts }
}

const GROUPS: readonly CountGroup[] = ['type', 'provider', 'classification', 'domain', 'kind', 'sending_address']
const FILTERS: readonly SeriesFilters[] = [
  {},
  { types: ['Bounce', 'Delivery'] },
  { providers: ['', 'Gmail'] },
  { types: ['Bounce'], providers: ['Yahoo'] },
]
const RANGES: readonly (readonly [number, number])[] = [
  [0, HOURS],
  [1, HOURS - 1],
  [12, 25],
  [24, 48],
  [23, 24],
  [-30, 1],
  [47, 100],
  [13, 22],
]

for (const [name, stated, isSummarized] of [
  ['together', [], false],
  ['each in parts', [20_001, 20_001, 20_001], false],
  ['partly together', [15_000, 20_001, 15_000], false],
  ['by the history index', [], true],
] as const) {
  const { readers, close } = openReaders(stated, isSummarized)
  after(close)
  test(`domains that are counted ${name} have the counts of their events`, async () => {
    for (const group of GROUPS) {
      for (const filters of FILTERS) {
        for (const [from, to] of RANGES) {
          for (const domainNumbers of [[1, 2, 3], [2], [3, 9]]) {
            const range = { fromHour: FIRST_HOUR + from, toHour: FIRST_HOUR + to }
            const query = { ...range, domainNumbers, group, filters }
            assert.deepEqual((await countAll(readers, query)).counts, expectedOf(query), JSON.stringify(query))
          }
        }
      }
    }
    const query = { domainNumbers: [1, 2, 3], fromHour: FIRST_HOUR, toHour: FIRST_HOUR + HOURS } as const
    for (const filters of [{ classifications: ['Spam'] }, { classifications: [''], types: ['Bounce'] }] as const) {
      const asked = { ...query, group: 'kind', filters } as const
      assert.deepEqual((await countAll(readers, asked)).counts, expectedOf(asked))
    }
    const asked = { ...query, group: 'type', filters: { sendingAddresses: ['192.0.2.1'] } } as const
    assert.deepEqual((await countAll(readers, asked)).counts, expectedOf(asked))
  })
}

test('the history index has the counts of days, too', async () => {
  const { readers, close } = openReaders([], true)
  for (const group of GROUPS.filter((name) => !name.startsWith('sending'))) {
    for (const filters of FILTERS) {
      for (const [from, to] of [
        [0, 48],
        [0, 24],
        [24, 48],
        [-48, 24],
        [24, 96],
      ] as const) {
        const range = { fromHour: FIRST_HOUR + from, toHour: FIRST_HOUR + to, byDay: true }
        const query = { ...range, domainNumbers: [1, 3, 9], group, filters }
        assert.deepEqual((await countAll(readers, query)).counts, expectedOf(query), JSON.stringify(query))
      }
    }
  }
  close()
})

test('it is read in statements of 200 counts: of domains, and of days', async () => {
  const { readers, close } = openReaders([], true)
  const range = { fromHour: FIRST_HOUR, toHour: FIRST_HOUR + HOURS, filters: {}, group: 'domain' } as const
  const partsOf = async (domains: number) => {
    const domainNumbers = Array.from({ length: domains }, (_, index) => index + 1)
    const { counts, parts } = await countAll(readers, { ...range, domainNumbers })
    assert.deepEqual(counts, expectedOf({ ...range, domainNumbers }))
    return parts
  }
  // Two days of up to a hundred domains are one.
  assert.deepEqual(await Promise.all([99, 100, 199, 200, 201, 400].map(partsOf)), [1, 1, 1, 2, 3, 4])
  close()
})

test('one statement adds up domains that have at most 20,000 events together', async () => {
  const day = { fromHour: FIRST_HOUR, toHour: FIRST_HOUR + 24, filters: {}, group: 'type' } as const
  for (const [stated, parts] of [
    [[10_000, 5000, 5000], 1],
    [[10_000, 5000, 5001], 2],
    [[10_000, 10_001, 9999], 2],
    [[20_000, 1, 19_999], 2],
    [[20_000, 1, 20_000], 3],
    [[20_001, 1, 1], 2],
    [[1, 0, 0], 1],
    [[0, 0, 0], 0],
  ] as const) {
    const { readers, close } = openReaders(stated)
    assert.equal((await countAll(readers, { ...day, domainNumbers: [1, 2, 3] })).parts, parts, String(stated))
    close()
  }
})

test('keys are texts: the name of a type, or what they are', () => {
  assert.deepEqual(
    [toKey('type', EVENT_TYPES.indexOf('Bounce')), toKey('type', 99), toKey('domain', 7), toKey('provider', 'x')],
    ['Bounce', '', '7', 'x'],
  )
})
