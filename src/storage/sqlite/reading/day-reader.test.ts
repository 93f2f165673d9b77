/** A search of a day in slices: how much each examines, and where it ends. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ExplainingDatabase } from '../../../../test/harness/storage/explaining-database.ts'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import type { EmailEvent } from '../../../events/event.ts'
import type { LogFilters } from '../../../events/log/log-query.ts'
import { maskReply } from '../../../events/replies/mask-reply.ts'
import { dayOfTimestamp, fromPosition, startOfDay, toPosition } from '../days/day.ts'
import { DayFiles } from '../days/day-files.ts'
import { DayWriters } from '../writing/day-writers.ts'
import { toEventRow } from '../writing/event-row.ts'
import { SEARCH_THRESHOLDS, type SearchThresholds } from './day-plan.ts'
import { DayReader, nextSlice } from './day-reader.ts'
import { toLogSearch } from './log-search.ts'
import { SearchStatements } from './search-statements.ts'

const DAY = dayOfTimestamp(1_772_366_400)
const START = startOfDay(DAY)

interface Window {
  /** Seconds of the day: inclusive, exclusive. */
  readonly from?: number
  readonly to?: number
  readonly limit?: number
}

/** A day with an event of each domain at these seconds. */
function openDay(
  events: readonly (readonly [second: number, domain: number, fields?: Partial<EmailEvent>])[],
  thresholds: Partial<SearchThresholds> = {},
) {
  const folder = openTemporaryFolder()
  const files = new DayFiles(folder.path)
  const writers = new DayWriters(files, () => false)
  const rows = events.map(([second, domainNumber, fields], index) => {
    const own = { id: `m${index}`, recipient: 'u@b.test', domain_name: 'a.test', type: 'Delivery' as const }
    return toEventRow({ domainNumber, event: { ...own, timestamp: START + second, ...fields } })
  })
  writers.store([rows], 0)
  writers.close()
  const db = new ExplainingDatabase(files.path(DAY), { readOnly: true })
  const all = { ...SEARCH_THRESHOLDS, ...thresholds }
  const reader = new DayReader(DAY, db, new SearchStatements('service_message_id'), all)
  return {
    db,
    reader,
    /** Of each slice: the seconds of its events, and the second down to which everything was examined. */
    search(domains: readonly number[], filters: LogFilters, { from = 0, to = 86_400, limit = 1000 }: Window = {}) {
      const names = new Map(domains.map((domain) => [domain, `"d${domain}.test"`]))
      const extent = { from: toPosition(from, 0), before: toPosition(to, 0), limit }
      return [...reader.search(names, toLogSearch(filters), extent)].map(({ events: found, examinedFrom }) => ({
        seconds: found.map(([position]) => fromPosition(position).secondOfDay),
        names: found.map(([, text]) => (JSON.parse(text) as EmailEvent).domain_name),
        end: examinedFrom === undefined ? undefined : fromPosition(examinedFrom).secondOfDay,
      }))
    },
    [Symbol.dispose]() {
      reader.close()
      folder[Symbol.dispose]()
    },
  }
}

function seconds(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index)
}

const GMAIL: LogFilters = { providers: ['Gmail'] }
const isGmail = (second: number) => second % 7 === 0

function alternating(count: number, domains: readonly number[]) {
  return seconds(count).map(
    (second) =>
      [second, domains[second % domains.length] ?? 0, isGmail(second) ? { provider_name: 'Gmail' } : {}] as const,
  )
}

for (const [name, domains] of [
  ['one domain', [1]],
  ['many domains', [1, 2]],
] as const) {
  describe(`a walk through ${name}`, () => {
    const slicesOf = (count: number, window: Window = {}) => {
      using day = openDay(alternating(count, domains), { sliceRows: 10 })
      return day.search(domains, GMAIL, window).map(({ seconds: found, end }) => [found, end])
    }

    test('examines a number of rows at a time, the rest at once', () => {
      assert.deepEqual(slicesOf(35), [
        [[28], 25],
        [[21], 15],
        [[14, 7], 5],
        [[0], undefined],
      ])
      assert.deepEqual(slicesOf(30), [
        [[28, 21], 20],
        [[14], 10],
        [[7, 0], undefined],
      ])
      assert.deepEqual(slicesOf(31).length, 4)
    })

    test('ends when the page is full, or at the beginning of the window', () => {
      assert.deepEqual(slicesOf(35, { limit: 2 }), [
        [[28], 25],
        [[21], 15],
      ])
      assert.deepEqual(slicesOf(35, { limit: 3 }).at(-1), [[14], 5])
      assert.deepEqual(slicesOf(35, { from: 12, to: 29 }), [
        [[28, 21], 19],
        [[14], undefined],
      ])
    })

    test('begins with 500 rows, because most pages fill with them', () => {
      using day = openDay(alternating(1200, domains))
      const [first, ...others] = day.search(domains, GMAIL)
      assert.equal(first?.end, 700)
      assert.ok(others.every(({ end }) => end === undefined || end <= 200))
      assert.deepEqual(
        [first, ...others].flatMap((slice) => slice?.seconds ?? []),
        seconds(1200).filter(isGmail).reverse(),
      )
    })
  })
}

test('a walk that has nothing to check is one statement', () => {
  using day = openDay(alternating(35, [1]), { sliceRows: 10 })
  assert.deepEqual(
    day.search([1], {}, { limit: 20 }).map(({ seconds: found, end }) => [found.length, end]),
    [[20, undefined]],
  )
})

test('the next slice is four times as large, as far as it takes two milliseconds, and has at least 500 rows', () => {
  assert.equal(nextSlice(500, 0.1, 16_000), 2000)
  assert.equal(nextSlice(2000, 1, 16_000), 4000)
  assert.equal(nextSlice(2000, 4, 16_000), 1000)
  assert.equal(nextSlice(2000, 4.1, 16_000), 976)
  assert.equal(nextSlice(2000, 100, 16_000), 500)
  assert.equal(nextSlice(8000, 0.1, 16_000), 16_000)
  assert.equal(nextSlice(500, 0, 100), 100)
})

describe('many domains with a small share of the day, in stretches of time', () => {
  const domains = [1, 2]
  const small = { walkShare: 0, sliceRows: 10 }
  const countsOf = (slices: readonly { readonly seconds: readonly number[] }[]) =>
    slices.map(({ seconds: found }) => found.length)

  test('a stretch has about half of the rows that may be examined at once; together they have each event once', () => {
    using day = openDay(alternating(40, domains), small)
    const slices = day.search(domains, {})
    assert.deepEqual(countsOf(slices), [5, 5, 5, 5, 5, 5, 5, 5])
    assert.deepEqual(
      slices.flatMap((slice) => slice.seconds),
      seconds(40).toReversed(),
    )
    assert.deepEqual(
      slices.flatMap((slice) => slice.names),
      seconds(40)
        .toReversed()
        .map((second) => `d${(second % 2) + 1}.test`),
    )
    assert.deepEqual(
      slices.map(({ end }) => end),
      [34, 29, 24, 19, 14, 9, 4, undefined],
    )
  })

  test('it is shorter if a small page is wanted', () => {
    using day = openDay(alternating(40, domains), small)
    assert.deepEqual(countsOf(day.search(domains, {}, { limit: 2 })), [2])
    assert.deepEqual(day.search(domains, {}, { limit: 2 })[0]?.end, 35)
    assert.deepEqual(countsOf(day.search(domains, {}, { limit: 1 })), [1])
    assert.deepEqual(day.search(domains, {}, { limit: 1 })[0]?.end, 37)
  })

  test('only the part of the window that has events is divided', () => {
    using day = openDay(
      alternating(40, domains).map(([second, ...rest]) => [second + 1000, ...rest]),
      small,
    )
    assert.deepEqual(countsOf(day.search(domains, {})), [5, 5, 5, 5, 5, 5, 5, 5])
    assert.deepEqual(day.search(domains, {}, { to: 1000 }), [])
    assert.deepEqual(day.search(domains, {}, { from: 1040 }), [])
    assert.deepEqual(
      day.search(domains, {}, { from: 1010, to: 1012 }).flatMap((slice) => slice.seconds),
      [1011, 1010],
    )
    assert.deepEqual(
      day.search(domains, {}, { from: 1039 }).flatMap((slice) => slice.seconds),
      [1039],
    )
  })

  test('one with too many events is divided by four, and one with few is followed by a longer one', () => {
    // Old and few, then many within 20 seconds, then few again.
    const times = [...seconds(20).map((second) => second * 50), ...seconds(30).map((at) => 1000 + Math.floor(at / 2))]
    const after = seconds(5).map((at) => 2000 + at * 50)
    const all = [...times, ...after]
    using day = openDay(
      all.map((second, index) => [second, (index % 2) + 1]),
      small,
    )
    const slices = day.search(domains, {})
    assert.ok(countsOf(slices).every((count) => count <= 10))
    assert.deepEqual(
      slices.flatMap((slice) => slice.seconds),
      all.toSorted((a, b) => b - a),
    )
    // Pauses, after which the same is tried with a quarter, and stretches without an event are among them.
    assert.equal(slices.length, 35)
  })
})

describe('a message', () => {
  const ofMessage = (count: number, sortedMax: number, window: Window = {}) => {
    const same = seconds(count).map((second) => [second, 1, { id: 'm', recipient: `u${second}@b.test` }] as const)
    using day = openDay([...same, [500, 1], [501, 2, { id: 'm' }]], { sortedMax })
    const slices = day.search([1], { messageId: 'm' }, window)
    return { slices, isWalked: day.db.plans.some(({ sql }) => sql.includes('FROM event e NOT INDEXED')) }
  }

  test('is sorted if it has at most as many events as one statement may sort, otherwise walked', () => {
    const { slices, isWalked } = ofMessage(5, 6)
    assert.deepEqual(
      slices.map(({ seconds: found, end }) => [found, end]),
      [[[4, 3, 2, 1, 0], undefined]],
    )
    assert.equal(isWalked, false)
    // Messages of other domains with the same id are examined, too.
    const larger = ofMessage(6, 6)
    assert.deepEqual(
      larger.slices.flatMap((slice) => slice.seconds),
      [5, 4, 3, 2, 1, 0],
    )
    assert.equal(larger.isWalked, true)
  })

  test('fills no more than the page', () => {
    assert.deepEqual(
      ofMessage(5, 6, { limit: 2 }).slices.map(({ seconds: found }) => found),
      [[4, 3]],
    )
  })
})

test('counts are loaded in steps before the search, once', () => {
  using day = openDay(alternating(35, [1]))
  const filters: LogFilters = { codes: [{ from: 500, to: 599 }] }
  assert.equal(day.reader.isKnown, false)
  assert.deepEqual(day.search([1], filters), [])
  assert.ok(day.reader.isKnown && day.reader.codes !== undefined)
  day.db.plans.length = 0
  assert.deepEqual(day.search([1], filters), [])
  assert.deepEqual(day.db.plans, [])
  day.reader.forget()
  assert.ok(!day.reader.isKnown && day.reader.codes === undefined)
})

test('the ids of messages are not loaded for a day that the history index has found', () => {
  using day = openDay(alternating(3, [1]))
  const loads = () => day.db.plans.filter(({ sql }) => /SELECT.*identity/.test(sql) && !sql.includes('m.id')).length
  day.reader.isSummarized = true
  day.search([1], { messageId: 'm1' })
  const before = loads()
  day.reader.isSummarized = false
  day.search([1], { messageId: 'm1' })
  assert.deepEqual([before, loads() > 0], [0, true])
})

test('events are found by their masked reply', () => {
  const reply = 'mailbox 123 is full'
  using day = openDay([
    [1, 1, { type: 'Bounce', response_content: reply }],
    [2, 1, { type: 'Bounce', response_content: 'no mailbox, 124, is full' }],
  ])
  assert.deepEqual(
    day.search([1], { replies: [maskReply(reply)] }).flatMap((slice) => slice.seconds),
    [1],
  )
})

test('a day is ruled out by its counts, and by the ids of its messages once they are loaded', () => {
  using day = openDay([
    [1, 1],
    [2, 2, { type: 'Bounce' }],
  ])
  const { reader } = day
  const may = (domains: readonly number[], filters: LogFilters) => reader.mayHave(domains, toLogSearch(filters))
  assert.deepEqual(
    [may([1], {}), may([3], {}), may([3, 1], {}), may([1], { types: ['Bounce'] }), may([1, 2], { types: ['Bounce'] })],
    [true, false, true, false, true],
  )
  assert.equal(may([1], { messageId: 'absent' }), true)
  day.search([1], { messageId: 'm0' })
  assert.deepEqual([may([1], { messageId: 'absent' }), may([1], { messageId: 'm0' })], [false, true])
})

test('commits that are learned are counted', () => {
  using day = openDay([[1, 1]])
  const { reader } = day
  assert.equal(reader.summary.events, 1)
  reader.learn({
    day: DAY,
    arrivalBefore: 1,
    arrival: 2,
    counts: [[1, 0, 1]],
    codes: [],
    messageIds: [],
    committedAtMs: 0,
    storedAtMs: 0,
  })
  assert.equal(reader.summary.events, 2)
})

test('texts that events share are remembered until they are forgotten', () => {
  using day = openDay([[1, 1, { provider_name: 'Gmail' }]])
  const reads = () => {
    day.db.plans.length = 0
    assert.equal(day.search([1], {}).flatMap((slice) => slice.seconds).length, 1)
    return day.db.plans.filter(({ sql }) => sql.startsWith('SELECT members FROM circumstance')).length
  }
  assert.deepEqual([reads(), reads()], [1, 0])
  day.reader.forgetTexts()
  assert.equal(reads(), 1)
})

test('a text is found in all of several domains, each with its name', () => {
  const text = 'a rare text of the subject'
  const events = seconds(300).map(
    (second) => [second, (second % 3) + 1, second > 296 ? { subject: text } : {}] as const,
  )
  using day = openDay(events)
  const found = day.search([1, 2], { texts: [{ text, fields: ['subject'] }] })
  assert.deepEqual(
    found.flatMap((slice) => slice.seconds.map((second, index) => [second, slice.names[index]])),
    [
      [298, 'd2.test'],
      [297, 'd1.test'],
    ],
  )
})
