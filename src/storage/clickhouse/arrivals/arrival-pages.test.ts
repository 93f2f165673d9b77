/** Following the log on a table of SQLite: what is found, and with which statements. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { idsOf, type ModelOptions, openModelTable } from '../../../../test/harness/storage/clickhouse/model-table.ts'
import type { ArrivalQuery } from '../../../events/log/event-log.ts'
import { maskReply } from '../../../events/replies/mask-reply.ts'
import { eventColumns } from '../rows/event-text.ts'
import { BudgetError, type ClickHouse, type SelectOptions } from '../server/clickhouse.ts'
import { type ArrivalHorizon, toCursor } from './arrival-cursor.ts'
import { ArrivalReader } from './arrival-reader.ts'

const NOON = 1_728_043_200
/** Four domains on two shards, of which the last is not followed. */
const FOLLOWED = [6, 7, 8].map((number) => ({ number, name: `${number}.test` }))
const OTHER = 9
const SHARDS = 2
const BEGINNING = 'a1'

type Query = Partial<ArrivalQuery> & Pick<ArrivalQuery, 'limit' | 'after'>

function openScene(options: ModelOptions, horizon: () => ArrivalHorizon, retainedFrom?: number) {
  const { clickHouse, statements } = openModelTable({ shards: SHARDS, ...options })
  const failures: Error[] = []
  const selectOf: ClickHouse['selectOf'] = async (...given) => {
    const failure = failures.shift()
    if (failure) throw failure
    return clickHouse.selectOf(...given)
  }
  const reader = new ArrivalReader({
    clickHouse: { ...clickHouse, selectOf },
    serviceMessageIdField: 'service_message_id',
    readHorizon: async () => horizon(),
    ...(retainedFrom !== undefined && { retainedFrom: async () => retainedFrom }),
  })
  const list = (query: Query) => reader.list({ domains: FOLLOWED, filters: {}, budgetMs: 60_000, ...query })
  return { reader, list, statements, failures }
}

function makeEvents(count: number, domain = FOLLOWED[0]?.number ?? 0) {
  return Array.from({ length: count }, () => ({ timestamp: NOON, domain }))
}

/** Everything is stored. */
function allOf(events: readonly unknown[]): () => ArrivalHorizon {
  return () => ({ next: events.length + 1, unfinished: new Map() })
}

describe('following the log', () => {
  test('returns every stored event once, in order, while shards finish their batches in any order', async () => {
    const event = fc.record({ timestamp: fc.constant(NOON), domain: fc.constantFrom(6, 7, 8, OTHER) })
    const limits = fc.record({ limit: fc.integer({ min: 1, max: 12 }), budgetMs: fc.constantFrom(-1, 60_000) })
    // What is stored of each shard when it is read, in parts of all.
    const stored = fc.array(fc.tuple(fc.nat(100), fc.nat(100)), { maxLength: 6 })
    const resumed = fc.nat(3)
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { maxLength: 50 }),
        limits,
        stored,
        resumed,
        async (events, query, moments, often) => {
          let ends = [1, 1]
          const horizon = () => ({ next: events.length + 1, unfinished: new Map(ends.entries()) })
          const { list } = openScene({ events }, horizon)
          const seen: number[] = []
          let after = BEGINNING
          let pages = 0
          const readAll = async () => {
            for (;;) {
              const page = await list({ ...query, after })
              assert.ok(page.events.length <= query.limit)
              // A client may also resume after any event that it was sent.
              const isResumed = often > 0 && pages++ % 4 < often
              const sent = isResumed ? page.events.slice(0, Math.ceil(page.events.length / 2)) : page.events
              seen.push(...idsOf(sent.map(({ text }) => text)))
              after = (sent.length < page.events.length ? sent.at(-1)?.position : undefined) ?? page.position
              if (!page.hasMore && sent.length === page.events.length) return
            }
          }
          for (const parts of [...moments, [100, 100]]) {
            ends = ends.map((end, shard) => Math.max(end, 1 + Math.floor(((parts[shard] ?? 0) / 100) * events.length)))
            await readAll()
            const due = events.flatMap(({ domain }, index) => {
              return domain !== OTHER && index + 1 < (ends[domain % SHARDS] ?? 0) ? [index] : []
            })
            assert.deepEqual(
              seen.toSorted((a, b) => a - b),
              due,
            )
          }
          for (const shard of [0, 1]) {
            const own = seen.filter((index) => (events[index]?.domain ?? 0) % SHARDS === shard)
            assert.deepEqual(
              own,
              own.toSorted((a, b) => a - b),
              'each shard in order',
            )
          }
        },
      ),
      { numRuns: 200 },
    )
  })

  test('the last position is after everything stored, and one of a later time stays', async () => {
    const events = makeEvents(5)
    const { reader, list } = openScene({ events }, allOf(events))
    assert.equal(await reader.last(), 'a6')
    assert.deepEqual(await list({ limit: 10, after: 'a6' }), { events: [], position: 'a6', hasMore: false })
    assert.deepEqual(await list({ limit: 10, after: 'a99' }), { events: [], position: 'a99', hasMore: false })
    const behind: ArrivalHorizon = { next: 6, unfinished: new Map([[1, 3]]) }
    assert.deepEqual(toCursor(behind, SHARDS), [6, 3])
    assert.equal(await openScene({ events }, () => behind).reader.last(), 'a6.2.1-3')
  })

  test('without domains nothing is asked, and the position moves on', async () => {
    const events = makeEvents(5)
    const { list, statements } = openScene({ events }, allOf(events))
    assert.deepEqual(await list({ domains: [], limit: 10, after: BEGINNING }), {
      events: [],
      position: 'a6',
      hasMore: false,
    })
    assert.deepEqual(statements, [])
  })

  test('events before what is retained are left out', async () => {
    const events = [{ timestamp: NOON - 1, domain: 6 }, ...makeEvents(1)]
    const { list } = openScene({ events }, allOf(events), NOON)
    const page = await list({ limit: 10, after: BEGINNING })
    assert.deepEqual([idsOf(page.events.map(({ text }) => text)), page.position], [[1], 'a3'])
  })

  test('an event that is there several times is sent once', async () => {
    const events = makeEvents(4)
    const { list } = openScene({ events, copies: 3 }, allOf(events))
    const seen: number[] = []
    let [after, hasMore] = [BEGINNING, true]
    while (hasMore) {
      const page = await list({ limit: 2, after })
      seen.push(...idsOf(page.events.map(({ text }) => text)))
      ;({ position: after, hasMore } = page)
    }
    assert.deepEqual(seen, [0, 1, 2, 3])
  })

  test('thousands of events of others are passed over in one statement', async () => {
    const events = [...makeEvents(200), ...makeEvents(2000, OTHER), ...makeEvents(1)]
    const { list, statements } = openScene({ events, rowsMax: 150 }, allOf(events))
    const after = 'a201'
    const page = await list({ limit: 10, after })
    assert.deepEqual([idsOf(page.events.map(({ text }) => text)), page.position], [[2200], 'a2202'])
    assert.equal(statements.length, 1)
  })

  test('a search that took too long is not repeated for less than a page', async () => {
    const events = makeEvents(300)
    const { list, statements, failures } = openScene({ events }, allOf(events))
    assert.equal((await list({ limit: 200, after: BEGINNING })).events.length, 200)
    assert.equal(statements.length, 1)
    failures.push(new BudgetError('too long'))
    assert.equal((await list({ limit: 200, after: BEGINNING })).events.length, 200)
    assert.equal(statements.length, 2)
  })

  test('what sufficed for a page suffices for the next one, in one statement', async () => {
    const events = makeEvents(50)
    const { list, statements } = openScene({ events }, allOf(events))
    for (let asked = 1; asked <= 3; asked++) {
      const { events: found } = await list({ limit: 1, after: BEGINNING })
      assert.deepEqual([found.length, statements.length], [1, asked])
    }
  })

  test('without a bound of what is retained, an event of the first second is sent', async () => {
    const events = [{ timestamp: 0, domain: 6 }]
    const { list } = openScene({ events }, allOf(events))
    assert.equal((await list({ limit: 1, after: BEGINNING })).events.length, 1)
  })

  test('a failure that is not one of time is passed on', async () => {
    const events = makeEvents(3)
    const { list, failures } = openScene({ events }, allOf(events))
    failures.push(new Error('broken'))
    await assert.rejects(list({ limit: 10, after: BEGINNING }), { message: 'broken' })
  })

  test('a page that its budget ends says that there is more', async () => {
    const events = makeEvents(50_100, OTHER).concat(makeEvents(1))
    const { list } = openScene({ events }, allOf(events))
    const page = await list({ limit: 10, after: BEGINNING, budgetMs: -1 })
    assert.deepEqual(page, { events: [], position: 'a50001', hasMore: true })
  })
})

describe('what is asked for', () => {
  /** Rows are those that `arrivals` says are there, of the first followed domain. */
  function openAsked(arrivals: readonly number[], { next = 10_000_000, settings }: AskedOptions = {}) {
    const asked: { readonly from: number; readonly to: number; readonly limit: number }[] = []
    const options: SelectOptions[] = []
    const failures: Error[] = []
    const horizon = { next, unfinished: new Map<number, number>() }
    const grow = () => void Object.assign(horizon, { next: 10_000_000 })
    const { clickHouse } = openModelTable({ shards: SHARDS, events: [] })
    const selectOf: ClickHouse['selectOf'] = async (_, toSql, given = {}) => {
      const sql = toSql({ from: (table) => table, isThere: '1' })
      const [, from, to, limit] = (/arrival >= (\d+) AND arrival < (\d+).* LIMIT (\d+)$/s.exec(sql) ?? []).map(Number)
      if (from === undefined || to === undefined || limit === undefined) assert.fail(sql)
      asked.push({ from, to, limit })
      options.push(given)
      const failure = failures.shift()
      if (failure) throw failure
      return arrivals
        .filter((arrival) => arrival >= from && arrival < to)
        .slice(0, limit)
        .map((arrival) => rowOf(arrival))
    }
    const reader = new ArrivalReader({
      clickHouse: { ...clickHouse, selectOf },
      serviceMessageIdField: 'service_message_id',
      readHorizon: async () => horizon,
      ...(settings && { settings }),
    })
    const list = (query: Query) =>
      reader.list({ domains: FOLLOWED.slice(0, 1), filters: {}, budgetMs: 60_000, ...query })
    const spans = () => asked.splice(0).map(({ from, to, limit }) => [from, to, limit])
    return { list, spans, grow, options, failures }
  }

  interface AskedOptions {
    readonly next?: number
    readonly settings?: Readonly<Record<string, number>>
  }

  /** As `eventColumns` asks for them. */
  function rowOf(arrival: number): readonly string[] {
    const columns = eventColumns('interface').split(',')
    const values: Readonly<Record<string, string>> = {
      domain: '6',
      timestamp: String(NOON),
      arrival: String(arrival),
      id: String(arrival),
      details: ' 0 0 0  0',
    }
    return columns.map((name) => values[name.trim()] ?? '')
  }

  test('numbers in which nothing is found are followed by six times as many, up to the end', async () => {
    const { list, spans } = openAsked([], { next: 3_000_000 })
    await list({ limit: 3, after: BEGINNING })
    const expected = [
      [1, 50_001, 4],
      [50_001, 350_001, 4],
      [350_001, 2_150_001, 4],
      [2_150_001, 3_000_000, 4],
    ]
    assert.deepEqual(spans(), expected)
    // The last one ended with the log: what it would have taken is not known.
    await list({ limit: 3, after: BEGINNING })
    assert.deepEqual(spans(), [[1, 3_000_000, 4]])
  })

  test('the numbers that a page needed are those that the next one begins with, and half as many again', async () => {
    const { list, spans } = openAsked([10, 20, 30, 40, 50])
    await list({ limit: 3, after: BEGINNING })
    assert.deepEqual(spans(), [[1, 50_001, 4]])
    await list({ limit: 3, after: 'a11' })
    assert.deepEqual(spans()[0], [11, 71, 4])
  })

  test('what a search up to the end needed is known, if it ended there', async () => {
    for (const [next, learned] of [
      [50_001, 4 * 25_000 * 1.1],
      [50_000, 50_000],
    ] as const) {
      const { list, spans, grow } = openAsked([10, 20], { next })
      await list({ limit: 3, after: BEGINNING })
      assert.deepEqual(spans(), [[1, next, 4]])
      grow()
      await list({ limit: 3, after: BEGINNING })
      assert.deepEqual(spans()[0], [1, 1 + Math.ceil(learned), 4])
    }
  })

  test('what is missing of a page is asked for after what was found', async () => {
    const { list, spans } = openAsked([10, 20, 60_000, 70_000])
    const { events, position, hasMore } = await list({ limit: 3, after: BEGINNING })
    assert.deepEqual(spans(), [
      [1, 50_001, 4],
      [50_001, 350_001, 2],
    ])
    assert.deepEqual([events.length, position, hasMore], [3, 'a60001', true])
  })

  test('after a search that took too long a sixth, or as many as are wanted', async () => {
    const { list, spans, failures } = openAsked([1, 2, 3, 4, 5, 6, 7, 8])
    const late = () => new BudgetError('too long')
    failures.push(late(), late())
    await list({ limit: 3, after: BEGINNING })
    assert.deepEqual(spans(), [
      [1, 50_001, 4],
      [1, 8335, 4],
      [1, 1390, 4],
    ])
    failures.push(late())
    await list({ limit: 3, after: BEGINNING })
    assert.deepEqual(spans(), [
      [1, 7, 4],
      [1, 5, 4],
    ])
  })

  test('begins with the shard that is farthest behind', async () => {
    const { list, spans } = openAsked([1, 2, 3, 4, 5])
    await list({ limit: 3, after: BEGINNING })
    spans()
    // The domain is on the shard that is ahead.
    await list({ limit: 3, after: 'a4.2.1-1' })
    assert.deepEqual(spans()[0], [4, 7, 4])
  })

  test('is strict, does not use what is kept for writing, and has the settings of searches', async () => {
    const { list, options } = openAsked([1, 2], { settings: { max_rows_to_read: 5 } })
    await list({ limit: 1, after: BEGINNING })
    const [{ budgetMs, ...rest } = assert.fail()] = options
    assert.deepEqual(rest, { mustBeStrict: true, isOfWriting: false, settings: { max_rows_to_read: 5 } })
    assert.ok(budgetMs !== undefined && budgetMs <= 30_000)
    const plain = openAsked([1, 2])
    await plain.list({ limit: 1, after: BEGINNING })
    assert.ok(!('settings' in (plain.options[0] ?? {})))
  })

  test('gets more time after each failure in a row, until it is too late for another', async (t) => {
    let now = 1000
    t.mock.method(performance, 'now', () => now)
    const { list, options, failures } = openAsked([400_000])
    const late = () => new BudgetError('too long')
    failures.push(late(), late())
    await list({ limit: 3, after: BEGINNING, budgetMs: 400 })
    assert.deepEqual(
      options.slice(0, 4).map(({ budgetMs }) => budgetMs),
      [250, 500, 1000, 250],
    )
    failures.push(late())
    const searching = list({ limit: 3, after: BEGINNING, budgetMs: 400 })
    now += 10_401
    await assert.rejects(searching, { code: 'overloaded' })
  })
})

describe('following replies', () => {
  test('events with other replies are passed over, and do not fill a page', async () => {
    const replies = [
      '250 2.0.0 Ok: queued as 4XYZ',
      '550 mailbox full',
      '250 2.0.0 Ok: queued as 9ABC',
      '550 x',
      '550 y',
    ]
    const events = replies.map((reply) => ({ timestamp: NOON, domain: 6, reply }))
    const { list } = openScene({ events }, allOf(events))
    const filters = { replies: [maskReply('250 2.0.0 Ok: queued as 4XYZ')] }
    const page = await list({ filters, limit: 2, after: BEGINNING })
    assert.deepEqual([idsOf(page.events.map(({ text }) => text)), page.hasMore], [[0, 2], false])
    // Whether these match is known only after they were read.
    const others = await list({ filters: { without: filters }, limit: 2, after: BEGINNING })
    assert.deepEqual([idsOf(others.events.map(({ text }) => text)), others.hasMore], [[1, 3], true])
  })
})
