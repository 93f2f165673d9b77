/** The cost of a page depends on the page, not on the window: every statement walks the index meant for it, and none sorts a window. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { ExplainingDatabase } from '../../../../test/harness/storage/explaining-database.ts'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import type { EmailEvent } from '../../../events/event.ts'
import type { LogFilters } from '../../../events/log/log-query.ts'
import { dayOfTimestamp, positionRange } from '../days/day.ts'
import { DayFiles } from '../days/day-files.ts'
import { DayWriters } from '../writing/day-writers.ts'
import { toEventRow } from '../writing/event-row.ts'
import { type DayPlan, type Planning, planDay, SEARCH_THRESHOLDS } from './day-plan.ts'
import { DayReader } from './day-reader.ts'
import { toLogSearch } from './log-search.ts'
import { SearchStatements } from './search-statements.ts'

const NOON = 1_772_366_400
const DAY = dayOfTimestamp(NOON)

function eventOf(index: number, changes: Partial<EmailEvent>): EmailEvent {
  const message = { id: `m${index}`, recipient: `user${index}@b.test`, subject: `Weekly report ${index}` }
  return { ...message, timestamp: NOON, type: 'Delivery', domain_name: 'a.test', response_code: 250, ...changes }
}

function finish(planning: Planning): DayPlan {
  for (;;) {
    const { done, value } = planning.next()
    if (done) return value
  }
}

/** A statement that walks a domain's events by time. */
function isWalk({ sql }: { readonly sql: string }): boolean {
  return sql.includes('FROM event e NOT INDEXED')
}

/** A day with these events, read by a database that notes every plan. */
function openDay(events: readonly (readonly [domain: number, event: EmailEvent])[], changes = {}) {
  const folder = openTemporaryFolder()
  const files = new DayFiles(folder.path)
  const writers = new DayWriters(files, () => false)
  writers.store([events.map(([domainNumber, event]) => toEventRow({ domainNumber, event }))], 0)
  writers.close()
  const db = new ExplainingDatabase(files.path(DAY), { readOnly: true })
  const thresholds = { ...SEARCH_THRESHOLDS, ...changes }
  const reader = new DayReader(DAY, db, new SearchStatements('service_message_id'), thresholds)
  // The planner works with the counts of codes as soon as they are loaded.
  const { done } = reader
    .search(new Map(), toLogSearch({ codes: [{ from: 1, to: 1 }] }), { from: 0, before: 1, limit: 1 })
    .next()
  assert.ok(done)
  return {
    /** The plan for the day and, for intervals of time, the index. */
    planOf(domains: readonly number[], filters: LogFilters): string {
      const planned = planDay(reader, domains, toLogSearch(filters), 51)
      const plan = 'kind' in planned ? planned : finish(planned)
      return plan.kind === 'stretches' || plan.kind === 'walk' ? `${plan.kind} ${indexOf(plan)}` : plan.kind
    },
    /** What a search finds, and the plans of its statements. */
    search(domains: readonly number[], filters: LogFilters, limit: number) {
      db.plans.length = 0
      const names = new Map(domains.map((domain) => [domain, '"a.test"']))
      const { from, to } = positionRange(DAY, NOON, NOON + 10_000)
      const slices = [...reader.search(names, toLogSearch(filters), { from, before: to, limit })]
      return { found: slices.reduce((sum, { events: some }) => sum + some.length, 0), plans: db.plans }
    },
    [Symbol.dispose]() {
      reader.close()
      folder[Symbol.dispose]()
    },
  }
}

function indexOf(plan: { readonly index: string } | { readonly driver: { readonly index: string } }): string {
  return 'driver' in plan ? plan.driver.index : plan.index
}

const BY_TIME = /SEARCH e USING PRIMARY KEY \(domain=\? AND position>\? AND position<\?\)/
const BY_TYPE = /INDEX event_by_type \(domain=\? AND type=\? AND position>\? AND position<\?\)/
const BY_CODE = /INDEX event_by_code \(domain=\? AND response_code=\? AND position>\? AND position<\?\)/

describe('a page of one domain', () => {
  const day = openDay(
    Array.from({ length: 4000 }, (_, index) => {
      const bounce = { type: 'Bounce' as const, response_code: index % 12 === 0 ? 550 : 551 }
      return [1, eventOf(index, { timestamp: NOON + (index % 100), ...(index % 6 === 0 && bounce) })]
    }),
  )
  after(() => day[Symbol.dispose]())

  const walks: readonly [name: string, filters: LogFilters, index: RegExp][] = [
    ['newest first', {}, BY_TIME],
    ['one type', { types: ['Bounce'] }, BY_TYPE],
    ['a common type', { types: ['Delivery'] }, BY_TIME],
    ['several types', { types: ['Bounce', 'Delivery'] }, BY_TIME],
    ['a code', { codes: [{ from: 550, to: 550 }] }, BY_CODE],
    ['the common code', { codes: [{ from: 250, to: 250 }] }, BY_TIME],
    ['a range with the common code', { codes: [{ from: 200, to: 599 }] }, BY_TIME],
    ['type and code', { types: ['Bounce'], codes: [{ from: 550, to: 550 }] }, BY_CODE],
    ['type and the common code', { types: ['Delivery'], codes: [{ from: 250, to: 250 }] }, BY_TIME],
    ['a common text', { subject: 'weekly' }, BY_TIME],
    ['a short text', { subject: 'we' }, BY_TIME],
    ['a type and a common text', { types: ['Bounce'], subject: 'weekly' }, BY_TYPE],
  ]
  for (const [name, filters, index] of walks) {
    test(`${name}: walks its index without sorting`, () => {
      const { plans, found } = day.search([1], filters, 51)
      assert.equal(found, 51)
      const walked = plans.filter(({ sql }) => sql.includes('FROM event e'))
      assert.ok(walked.length > 0)
      for (const { plan } of walked) {
        assert.match(plan, index)
        assert.doesNotMatch(plan, /TEMP B-TREE|SCAN e\b/)
      }
    })
  }

  test('a rare range of codes: reads the index of codes one interval after the other', () => {
    const filters = { codes: [{ from: 550, to: 599 }] }
    assert.equal(day.planOf([1], filters), 'stretches event_by_code')
    const { plans, found } = day.search([1], filters, 51)
    assert.equal(found, 51)
    const stretches = plans.filter(({ sql }) => sql.includes('INDEXED BY event_by_code'))
    assert.ok(stretches.length > 0)
    for (const { plan } of stretches) assert.match(plan, BY_CODE)
    // Every bounce has one of them.
    assert.equal(day.planOf([1], { ...filters, types: ['Bounce'] }), 'walk event_by_type')
  })

  test('a rare text: reads the events of the candidate messages', () => {
    const { plans, found } = day.search([1], { recipient: 'USER1234@' }, 51)
    assert.equal(found, 1)
    assert.ok(!plans.some(({ sql }) => sql.includes('FROM event e')))
    const planOf = (text: string) => plans.find(({ sql }) => sql.includes(text))?.plan ?? ''
    assert.match(planOf('message_signature'), /SEARCH s USING INTEGER PRIMARY KEY \(rowid>\? AND rowid<\?\)/)
    assert.match(planOf('json_each(?) k CROSS JOIN message m'), /SEARCH e USING INDEX event_of_message \(message=\?\)/)
  })

  test('a type that the day does not have: no index of events is touched', () => {
    const { plans, found } = day.search([1], { types: ['Feedback'], subject: 'weekly' }, 51)
    assert.equal(found, 0)
    assert.ok(!plans.some(({ sql }) => sql.includes('event e')))
  })

  test('a message: its own index, then its events', () => {
    const { plans, found } = day.search([1], { messageId: 'm7' }, 51)
    assert.equal(found, 1)
    assert.match(
      plans.find(({ sql }) => sql.includes('m.id = ?'))?.plan ?? '',
      /INDEX message_by_identity \(identity>\? AND identity<\?\)[\s\S]*INDEX event_of_message \(message=\?\)/,
    )
  })

  test('a message that the day does not have: no file is read once its ids are known', () => {
    assert.equal(day.search([1], { messageId: 'no such' }, 51).found, 0)
    assert.deepEqual(day.search([1], { messageId: 'no such' }, 51), { found: 0, plans: [] })
  })
})

describe('a page over many domains', () => {
  /** Have nine of ten events. */
  const LARGE = Array.from({ length: 100 }, (_, index) => index + 1)
  /** Have the rest. */
  const SMALL = Array.from({ length: 50 }, (_, index) => index + 1001)

  const day = openDay(
    Array.from({ length: 20_000 }, (_, index) => {
      const domain = index % 10 === 0 ? SMALL[(index / 10) % SMALL.length] : LARGE[index % LARGE.length]
      const bounce = index % 1000 < 100 ? { type: 'Bounce' as const, response_code: 550 } : {}
      return [domain ?? 0, eventOf(index, { timestamp: NOON + (index % 5000), ...bounce })]
    }),
  )
  after(() => day[Symbol.dispose]())

  test('a tenant with a large share of the day walks it, one with a small share reads the index of each domain', () => {
    assert.equal(day.planOf(LARGE, {}), 'walk many')
    assert.equal(day.planOf([...LARGE, ...SMALL], {}), 'walk many')
    assert.equal(day.planOf(SMALL, {}), 'stretches event')
    assert.equal(day.planOf(LARGE, { types: ['Bounce'] }), 'stretches event_by_type')
    assert.equal(day.planOf(LARGE, { codes: [{ from: 500, to: 599 }] }), 'stretches event_by_code')
  })

  test('if only one of many domains has events, the plan of a single domain is used', () => {
    const idle = Array.from({ length: 500 }, (_, index) => index + 5000)
    for (const filters of [{}, { types: ['Bounce'] }, { subject: 'weekly' }, { messageId: 'm1231' }] as const) {
      assert.equal(day.planOf([...idle, 1001], filters), day.planOf([1001], filters))
    }
    assert.equal(day.planOf([...idle, 1001], {}), 'walk event')
    // A domain without bounces is skipped in a search for bounces.
    const bounces: LogFilters = { types: ['Bounce'] }
    assert.deepEqual([day.planOf([1050], bounces), day.planOf([2], bounces)], ['nothing', 'walk event_by_type'])
    assert.equal(day.planOf([2, 1050], bounces), 'walk event_by_type')
  })

  test('values that the day does not have are not searched for', () => {
    assert.equal(day.planOf([9999], {}), 'nothing')
    assert.equal(day.planOf(LARGE, { types: ['Feedback'] }), 'nothing')
    assert.equal(day.planOf(LARGE, { codes: [{ from: 400, to: 499 }] }), 'nothing')
    assert.equal(day.planOf(LARGE, { messageId: 'no such' }), 'nothing')
    assert.equal(day.planOf(LARGE, { anyText: 'zzznothing' }), 'nothing')
  })

  test('few candidate messages are read one by one, many are found by walking', () => {
    assert.equal(day.planOf(LARGE, { anyText: 'USER1234@' }), 'candidates')
    assert.equal(day.planOf(LARGE, { anyText: 'm1231' }), 'candidates')
    assert.equal(day.planOf(LARGE, { messageId: 'm1231' }), 'candidates')
    assert.equal(day.planOf(LARGE, { anyText: 'weekly' }), 'walk many')
    assert.equal(day.planOf(SMALL, { subject: 'we' }), 'stretches event')
  })

  const reads: readonly [name: string, domains: readonly number[], filters: LogFilters, index: RegExp][] = [
    ['the walk', LARGE, {}, /SEARCH e USING (COVERING )?INDEX event_by_position \(position>\? AND position<\?\)/],
    ['time', SMALL, {}, /PRIMARY KEY \(domain=\? AND position>\? AND position<\?\)/],
    ['type', LARGE, { types: ['Bounce'] }, BY_TYPE],
    ['code', LARGE, { codes: [{ from: 550, to: 559 }] }, BY_CODE],
  ]
  for (const [name, domains, filters, index] of reads) {
    test(`${name}: uses all columns of its index, in bounded slices`, () => {
      const { plans, found } = day.search(domains, filters, 101)
      assert.equal(found, 101)
      const slices = plans.filter(({ sql }) => /(FROM|JOIN) event e (NOT )?INDEXED/.test(sql))
      assert.ok(slices.length > 0)
      for (const { plan } of slices) {
        assert.match(plan, index)
        assert.doesNotMatch(plan, /SCAN e\b/)
        if (name === 'the walk') assert.doesNotMatch(plan, /TEMP B-TREE/)
      }
    })
  }
})

describe('a large mailing under one message id', () => {
  /** Domain 1 has a mailing and other mail, domain 2 a single message with the same id and other mail. */
  const SORTED_MAX = 100
  const day = openDay(
    [
      ...Array.from({ length: 300 }, (_, index) => [1, eventOf(index, { id: 'mailing' })] as const),
      ...Array.from({ length: 300 }, (_, index) => [1, eventOf(1000 + index, {})] as const),
      [2, eventOf(2000, { id: 'mailing' })] as const,
      ...Array.from({ length: 300 }, (_, index) => [2, eventOf(3000 + index, {})] as const),
    ],
    { sortedMax: SORTED_MAX, candidatesMax: 50, fewEvents: 0 },
  )
  after(() => day[Symbol.dispose]())

  test('is walked if it has more events than one statement may sort', () => {
    assert.equal(day.planOf([1, 2], { messageId: 'mailing' }), 'walk many')
    const { found, plans } = day.search([1], { messageId: 'mailing' }, 1000)
    assert.equal(found, 300)
    assert.ok(plans.some(isWalk))
    assert.equal(day.search([1, 2], { messageId: 'mailing' }, 1000).found, 301)
    assert.ok(!day.search([1], { messageId: 'm1001' }, 1000).plans.some(isWalk))
    assert.equal(day.planOf([1, 2], { messageId: 'm1001' }), 'candidates')
  })

  test('does not make the same id of another domain examine all of it', () => {
    const { found, plans } = day.search([2], { messageId: 'mailing' }, 1000)
    assert.equal(found, 1)
    assert.ok(plans.some(isWalk))
    // The count of the mailing's messages comes first and ends the statement.
    const { plan = '' } = plans.find(({ sql }) => sql.includes('examined')) ?? {}
    assert.match(plan, /SCAN \(subquery-\d\).*SEARCH m USING INDEX message_by_identity/s)
  })

  test('is found whole by a text that is its id, although there are more messages than candidates', () => {
    for (const [domains, expected] of [
      [[1], 300],
      [[2], 1],
      [[1, 2], 301],
    ] as const) {
      assert.equal(day.search(domains, { anyText: 'mailing' }, 1000).found, expected)
    }
  })

  test('one of its recipients is found by the text index, not by walking the mailing', () => {
    const filters = { messageId: 'mailing', recipient: 'user123@b.test' }
    for (const domains of [[1], [1, 2]]) {
      assert.equal(day.planOf(domains, filters), 'candidates')
      assert.equal(day.search(domains, filters, 1000).found, 1)
    }
  })
})
