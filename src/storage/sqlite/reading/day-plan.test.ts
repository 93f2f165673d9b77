/** Which plan is chosen at which counts, on both sides of each boundary. That plans find what they should is in day-plans.test.ts. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { ExplainingDatabase } from '../../../../test/harness/storage/explaining-database.ts'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import type { EmailEvent } from '../../../events/event.ts'
import type { LogFilters } from '../../../events/log/log-query.ts'
import { known } from '../../../lib/known.ts'
import { CodeCounts } from '../days/code-counts.ts'
import { dayOfTimestamp } from '../days/day.ts'
import type { DayCommit } from '../days/day-commit.ts'
import { DayFiles } from '../days/day-files.ts'
import { DaySummary } from '../days/day-summary.ts'
import { CODES, typeNumber } from '../days/stored-codes.ts'
import { TextCandidates } from '../text-index/text-candidates.ts'
import { defineTextFunctions } from '../text-index/text-search.ts'
import { DayWriters } from '../writing/day-writers.ts'
import { toEventRow } from '../writing/event-row.ts'
import { type DayPlan, planDay, SEARCH_THRESHOLDS, type SearchThresholds } from './day-plan.ts'
import { toLogSearch } from './log-search.ts'

const NOON = 1_772_366_400
const DAY = dayOfTimestamp(NOON)
const [BOUNCE, DELIVERY] = [typeNumber('Bounce'), typeNumber('Delivery')]

type Row = readonly [domain: number, kind: number, count: number]

interface Question {
  readonly domains: readonly number[]
  readonly filters?: LogFilters
  readonly thresholds?: Partial<SearchThresholds>
  /** In addition to those of the file. */
  readonly counts?: readonly Row[]
  /** Undefined: not loaded. */
  readonly codes?: readonly Row[] | undefined
  readonly hasMessage?: boolean
}

function commitOf(arrivalBefore: number, counts: readonly Row[], codes: readonly Row[]): DayCommit {
  const arrival = counts.reduce((sum, [, , count]) => sum + count, arrivalBefore)
  return { day: DAY, arrivalBefore, arrival, counts, codes, messageIds: [], committedAtMs: 1, storedAtMs: 1 }
}

/** A file with these events. `unindexed`: how many of its messages are said not to be in the text index yet. */
function openDay(events: readonly (readonly [domain: number, event: Partial<EmailEvent>])[], unindexed = 0) {
  const folder = openTemporaryFolder()
  const files = new DayFiles(folder.path)
  const writers = new DayWriters(files, () => false)
  const rows = events.map(([domainNumber, fields], index) => {
    const own = { id: `m${index + 1}`, recipient: `user${index + 1}@b.test`, domain_name: 'a.test' }
    return toEventRow({ domainNumber, event: { ...own, timestamp: NOON, type: 'Delivery', ...fields } })
  })
  writers.store([rows], 0)
  writers.close()
  const writable = files.openForWriting(DAY, 1000)
  writable.run('UPDATE day SET indexed = message - ?', unindexed)
  writable.close()
  const db = new ExplainingDatabase(files.path(DAY), { readOnly: true })
  defineTextFunctions(db)
  const plan = ({ domains, filters = {}, thresholds, counts, codes, hasMessage = true }: Question): DayPlan => {
    db.plans.length = 0
    const summary = DaySummary.load(db)
    if (counts) assert.ok(summary.apply(commitOf(summary.events, counts, [])))
    const codeCounts = codes && new CodeCounts()
    codeCounts?.learn(commitOf(0, [], codes ?? []))
    const day = {
      db,
      summary,
      codes: codeCounts,
      candidates: new TextCandidates(db),
      thresholds: { ...SEARCH_THRESHOLDS, ...thresholds },
      mayHaveMessage: () => hasMessage,
    }
    const planned = planDay(day, domains, toLogSearch(filters), 51)
    if ('kind' in planned) return planned
    for (;;) {
      const step = planned.next()
      if (step.done) return step.value
    }
  }
  const close = () => {
    db.close()
    folder[Symbol.dispose]()
  }
  return { plan, statements: (text: string) => db.plans.filter(({ sql }) => sql.includes(text)).length, close }
}

function numbers(from: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => from + index)
}

describe('by the counts in memory', () => {
  const { plan, close } = openDay([])
  after(close)
  const walkOfAll = { kind: 'walk', domain: 1, index: 'event', values: [1] }

  test('the index of a type is walked if fewer than a quarter of the events have it', () => {
    const of = (deliveries: number, types: LogFilters['types']) =>
      plan({
        domains: [1],
        filters: known({ types }),
        counts: [
          [1, DELIVERY, deliveries],
          [1, BOUNCE, 2],
        ],
      })
    assert.deepEqual(of(6, ['Bounce']), { ...walkOfAll, rows: 8 })
    assert.deepEqual(of(7, ['Bounce']), {
      kind: 'walk',
      domain: 1,
      index: 'event_by_type',
      values: [1, BOUNCE],
      rows: 2,
    })
    assert.deepEqual(of(7, ['Bounce', 'Feedback']), { ...walkOfAll, rows: 9 })
  })

  test('the index of codes is read if fewer than half of the wanted events have one of them', () => {
    const of = (count: number, codes: readonly Row[] | undefined) =>
      plan({ domains: [1], filters: { codes: [{ from: 500, to: 599 }] }, counts: [[1, DELIVERY, count]], codes })
    const codes: readonly Row[] = [
      [1, 550, 1],
      [1, 551, 3],
      [1, 450, 9],
    ]
    assert.deepEqual(of(8, codes), { ...walkOfAll, rows: 8 })
    const driver = { index: 'event_by_code', codes: [CODES + 550, CODES + 551] }
    assert.deepEqual(of(9, codes), { kind: 'stretches', driver, events: 4 })
    assert.deepEqual(of(9, undefined), { ...walkOfAll, rows: 9 })
    assert.deepEqual(of(9, [[1, 450, 9]]), { kind: 'nothing' })
  })

  test('a single code has an index of its own, whose size is known with the codes', () => {
    const of = (codes: readonly Row[] | undefined) =>
      plan({ domains: [1], filters: { codes: [{ from: 550, to: 550 }] }, counts: [[1, DELIVERY, 9]], codes })
    const walk = { kind: 'walk', domain: 1, index: 'event_by_code', values: [1, 550] }
    assert.deepEqual(of([[1, 550, 7]]), { ...walk, rows: 7 })
    assert.deepEqual(of(undefined), { ...walk, rows: 9 })
  })

  test('many domains are walked with the whole day if they have a quarter of it', () => {
    const of = (others: number, types?: LogFilters['types']) =>
      plan({
        domains: [1, 2],
        filters: known({ types }),
        counts: [
          [1, DELIVERY, 1],
          [2, DELIVERY, 1],
          [3, DELIVERY, others],
        ],
      })
    assert.deepEqual(of(6), { kind: 'walk many', domains: [1, 2] })
    assert.deepEqual(of(7), { kind: 'stretches', driver: { index: 'event', domains: [1, 2] }, events: 2 })
    const driver = { index: 'event_by_type', domains: [1, 2], types: [DELIVERY, BOUNCE] }
    assert.deepEqual(of(7, ['Delivery', 'Bounce']), { kind: 'stretches', driver, events: 2 })
  })

  test('the whole day is also walked instead of more than 4,000 look-ups', () => {
    const of = (domains: number, filters: LogFilters, codes: readonly Row[] = []) => {
      const own = numbers(1, domains)
      const counts = [...own.map((domain): Row => [domain, DELIVERY, 3]), [9999, DELIVERY, 1_000_000] as const]
      const planned = plan({ domains: own, filters, counts, codes })
      return planned.kind === 'stretches' ? planned.driver.index : planned.kind
    }
    assert.deepEqual([of(4000, {}), of(4001, {})], ['event', 'walk many'])
    const types = ['Delivery', 'Bounce'] as const
    assert.deepEqual([of(2000, { types }), of(2001, { types })], ['event_by_type', 'walk many'])
    const filters = { codes: [{ from: 500, to: 599 }] }
    const codes = numbers(1, 4001).map((domain): Row => [domain, 550, 1])
    assert.deepEqual([of(4000, filters, codes), of(4001, filters, codes)], ['event_by_code', 'walk many'])
  })

  test('nothing is searched for that the day does not have', () => {
    const counts: readonly Row[] = [[1, DELIVERY, 1]]
    const nothing = { kind: 'nothing' }
    assert.deepEqual(plan({ domains: [2], counts }), nothing)
    assert.deepEqual(plan({ domains: [1], filters: { types: ['Bounce'] }, counts }), nothing)
    assert.deepEqual(plan({ domains: [1], filters: { messageId: 'm' }, counts, hasMessage: false }), nothing)
    assert.deepEqual(plan({ domains: [1], counts, hasMessage: false }), { ...walkOfAll, rows: 1 })
    assert.deepEqual(plan({ domains: [1], filters: { sendingAddresses: ['192.0.2.1'] }, counts }), nothing)
    assert.deepEqual(plan({ domains: [2, 1, 3], counts }), { ...walkOfAll, rows: 1 })
  })
})

/** A text whose trigrams the subject has, but not the text itself: every message is a candidate, and wrong. */
const SUBJECT = 'weeklyweek'
const WRONG = 'lyweeklyweek'
/** Looking at candidates is free, everything else is not to be paid for. */
const LOOK = { walkedRow: 1e6, indexedRow: 1e6, statement: 1, scannedMessage: 1e6, wrongCandidate: 0, match: 0 }

describe('by the texts of one domain', () => {
  const [MANY, FEW, SEVERAL, SHARED] = [1, 2, 3, 4]
  const day = openDay([
    ...numbers(0, 51).map(() => [MANY, { subject: SUBJECT }] as const),
    ...numbers(0, 50).map(() => [FEW, { subject: SUBJECT }] as const),
    // Three messages of two events each, and others.
    ...['p', 'q', 'r'].flatMap((id) =>
      [0, 1].map((second) => [SEVERAL, { id, recipient: `rarely-${id}@b.test`, timestamp: NOON + second }] as const),
    ),
    ...numbers(0, 4).map(() => [SEVERAL, { type: 'Bounce' as const, response_code: 550 }] as const),
    ...numbers(0, 3).map(() => [SHARED, { id: 'shared' }] as const),
  ])
  after(day.close)
  const { plan, statements } = day
  const kindOf = (question: Question) => plan(question).kind

  test('a large domain is spared candidates that are wrong, if they are more than 50', () => {
    const ask = (domain: number, sortedMax: number) =>
      plan({ domains: [domain], filters: { subject: WRONG }, thresholds: { costs: LOOK, sortedMax } })
    assert.deepEqual(ask(MANY, 50), { kind: 'nothing' })
    assert.equal(ask(FEW, 49).kind, 'walk')
    const unexamined = ask(MANY, 51)
    assert.ok(unexamined.kind === 'candidates' && unexamined.messages.length === 51)
  })

  test('of a large domain, only the candidates that have the text are read', () => {
    const filters = { recipient: 'user5@', subject: SUBJECT.slice(0, 4) }
    const found = plan({ domains: [MANY], filters, thresholds: { costs: LOOK, sortedMax: 20 } })
    assert.deepEqual(found, { kind: 'candidates', domains: [MANY], messages: [5] })
  })

  test('few rows are walked at once: more cost more than finding candidates', () => {
    const ask = (costs: Partial<typeof LOOK>, types?: LogFilters['types'], codes?: readonly Row[], more = 0) =>
      kindOf({
        domains: [SEVERAL],
        filters: { ...known({ types }), recipient: 'zzznothing', ...(codes && { codes: [{ from: 500, to: 599 }] }) },
        thresholds: { costs: { ...LOOK, ...costs } },
        counts: [[SEVERAL, DELIVERY, more]],
        codes,
      })
    assert.equal(ask({ walkedRow: 1, statement: 10 }), 'walk')
    assert.equal(ask({ walkedRow: 1, statement: 9 }), 'nothing')
    // Four of ten have the codes.
    const codes: readonly Row[] = [[SEVERAL, 550, 4]]
    assert.equal(ask({ indexedRow: 1, statement: 4 }, undefined, codes), 'stretches')
    assert.equal(ask({ indexedRow: 1, statement: 3 }, undefined, codes), 'nothing')
    // Not few enough for their index.
    assert.equal(ask({ indexedRow: 1, statement: 10 }, ['Bounce']), 'nothing')
    assert.equal(ask({ walkedRow: 1, statement: 10 }, ['Bounce']), 'walk')
    assert.equal(ask({ indexedRow: 1, statement: 4 }, ['Bounce'], undefined, 7), 'walk')
    assert.equal(ask({ indexedRow: 1, statement: 3 }, ['Bounce'], undefined, 7), 'nothing')
  })

  test('candidates are sorted up to a number of events, which is counted only for a domain that has more', () => {
    const ask = (sortedMax: number) =>
      kindOf({ domains: [SEVERAL], filters: { recipient: 'rarely' }, thresholds: { costs: LOOK, sortedMax } })
    assert.equal(ask(5), 'walk')
    assert.equal(ask(6), 'candidates')
    assert.equal(ask(9), 'candidates')
    assert.equal(statements('INDEXED BY event_of_message'), 1)
    assert.equal(ask(10), 'candidates')
    assert.equal(statements('INDEXED BY event_of_message'), 0)
  })

  test('all messages are read if that is the cheapest', () => {
    const costs = { ...LOOK, scannedMessage: 0 }
    const question = { domains: [FEW], filters: { subject: 'weekly' }, thresholds: { costs, candidatesMax: 0 } }
    assert.deepEqual(plan(question), { kind: 'scan', domain: FEW })
    // Few messages can have very many events.
    const withMore = (more: number) => kindOf({ ...question, counts: [[FEW, DELIVERY, more]] })
    assert.deepEqual([withMore(19_950), withMore(19_951)], ['scan', 'walk'])
  })

  test('a message is found by its id, unless very many have it and there is a text to find it by', () => {
    const walk = { kind: 'walk', domain: SHARED, index: 'event', values: [SHARED], rows: 3 }
    const ask = (sortedMax: number, recipient?: string) =>
      kindOf({
        domains: [SHARED],
        filters: { messageId: 'shared', ...known({ recipient }) },
        thresholds: { costs: LOOK, sortedMax },
      })
    assert.deepEqual([ask(3, 'user'), ask(2, 'zzznothing'), ask(2)], ['message', 'nothing', 'message'])
    const { kind, ...found } = plan({ domains: [SHARED], filters: { messageId: 'shared' } })
    assert.equal(kind, 'message')
    assert.deepEqual('walk' in found && found.walk, walk)
  })

  test('a text that may be an id is looked for as such: too many are walked', () => {
    const ask = (candidatesMax: number) =>
      plan({ domains: [SHARED], filters: { anyText: 'shared' }, thresholds: { costs: LOOK, candidatesMax } })
    const found = ask(3)
    assert.ok(found.kind === 'candidates' && found.messages.length === 3)
    assert.equal(ask(2).kind, 'walk')
  })

  test('walking is chosen if it costs less than to look at what has the id, unless there is nothing to find', () => {
    const ask = (anyText: string) => {
      const costs = { ...LOOK, walkedRow: 0.5, wrongCandidate: 1, match: 1 }
      return kindOf({ domains: [SHARED], filters: { anyText }, thresholds: { costs } })
    }
    assert.deepEqual([ask('shared'), ask('zzznothing')], ['walk', 'nothing'])
  })

  test('one message may be found by its text, by its id, and as one that is too new to be in the index', () => {
    const found = { kind: 'candidates', domains: [1], messages: [1] }
    for (const [id, unindexed] of [
      ['someone', 0],
      ['other', 1],
    ] as const) {
      const own = openDay([[1, { id, recipient: 'someone@b.test' }]], unindexed)
      assert.deepEqual(own.plan({ domains: [1], filters: { anyText: 'someone' }, thresholds: { costs: LOOK } }), found)
      own.close()
    }
  })
})

describe('by the texts of many domains', () => {
  const day = openDay([
    [1, { id: 'one', recipient: 'someone@b.test' }],
    [2, { id: 'someone', recipient: 'other@b.test' }],
    [2, { id: 'x', recipient: 'nobody@b.test' }],
    // Has the text, and has it as its id.
    [2, { id: 'someone', recipient: 'someone@c.test' }],
  ])
  after(day.close)
  const { plan, statements } = day
  const domains = [1, 2]

  test('few events are walked, and more are found by candidates and ids, each once', () => {
    const ask = (thresholds: Partial<SearchThresholds>, filters: LogFilters = { anyText: 'someone' }) =>
      plan({ domains, filters, thresholds })
    assert.equal(ask({ fewEvents: 4 }).kind, 'walk many')
    const found = ask({ fewEvents: 3 })
    assert.deepEqual(found.kind === 'candidates' && found.messages.toSorted((a, b) => a - b), [1, 2, 4])
    assert.equal(ask({ fewEvents: 3, candidatesMax: 1 }).kind, 'walk many')
    assert.equal(ask({ fewEvents: 3, sortedMax: 2 }).kind, 'walk many')
    assert.deepEqual(ask({ fewEvents: 3 }, { anyText: 'zzznothing' }), { kind: 'nothing' })
    assert.deepEqual(ask({}, { messageId: 'someone' }), { kind: 'candidates', domains, messages: [2, 4] })
    assert.deepEqual(ask({}, { messageId: 'zzznothing' }), { kind: 'nothing' })
    assert.equal(ask({ sortedMax: 1 }, { messageId: 'someone' }).kind, 'walk many')
  })

  test('signatures are read together for up to 50,000 events, and 1,000 domains', () => {
    /** How many statements read several domains, and how many one. */
    const ask = (own: readonly number[], events: number) => {
      const counts = own.map((domain): Row => [domain, DELIVERY, events])
      plan({ domains: own, filters: { subject: 'zzznothing' }, counts })
      return [statements('json_each(?) d CROSS JOIN message_signature'), statements('FROM message_signature s WHERE')]
    }
    assert.deepEqual(ask([11, 12, 13], 25_000), [1, 1])
    assert.deepEqual(ask([11, 12, 13], 25_001), [0, 3])
    assert.deepEqual(ask([11, 12, 13, 14], 25_000), [2, 0])
    assert.deepEqual(ask([11, 12], 50_001), [0, 2])
    assert.deepEqual(ask(numbers(11, 1000), 1), [1, 0])
    assert.deepEqual(ask(numbers(11, 1001), 1), [1, 1])
  })
})
