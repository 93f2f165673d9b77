/** Following the log on a table of SQLite: what is found, and with which statements. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { idsOf, type ModelOptions, openModelTable } from '../../../../test/harness/storage/clickhouse/model-table.ts'
import type { ArrivalQuery } from '../../../events/log/event-log.ts'
import { BudgetError, type ClickHouse } from '../server/clickhouse.ts'
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
