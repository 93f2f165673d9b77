/** The search for pages on a table of SQLite: what is found, and with which statements. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  idsOf,
  type ModelEvent,
  type ModelOptions,
  openModelTable,
} from '../../../../test/harness/storage/clickhouse/model-table.ts'
import type { LogFilters } from '../../../events/log/log-query.ts'
import { maskReply } from '../../../events/replies/mask-reply.ts'
import { LogReader } from './log-reader.ts'

const DAY = 86_400
const NOON = 20_000 * DAY + DAY / 2
const DOMAIN = { number: 7, name: 'a.test' }
const OTHER = { number: 9, name: 'b.test' }
const NO_FILTERS: LogFilters = {}
const PLENTY_MS = 60_000

type Stored = Omit<ModelEvent, 'domain'> & { readonly domain?: number }

interface Scene extends Omit<ModelOptions, 'events'> {
  readonly events: readonly Stored[]
}

interface Asked {
  readonly limit: number
  readonly from?: number
  readonly to?: number
  readonly filters?: LogFilters
  readonly budgetMs?: number
  readonly after?: string
}

function openScene({ events, ...options }: Scene) {
  const own = events.map((event) => ({ domain: DOMAIN.number, ...event }))
  const { clickHouse, statements } = openModelTable({ events: own, ...options })
  const reader = new LogReader({ clickHouse, serviceMessageIdField: 'service_message_id' })
  const list = ({ from = 0, to = NOON + DAY, limit, filters = NO_FILTERS, budgetMs = PLENTY_MS, after }: Asked) =>
    reader.list({
      domains: [DOMAIN],
      filters,
      limit,
      budgetMs,
      window: { startTimestamp: from, endTimestamp: to },
      ...(after !== undefined && { after }),
    })
  return { list, statements, reader }
}

/** The ids of all pages, newest first; each page is as long as it may be, unless `mayBeCut`. */
async function walk({ list }: ReturnType<typeof openScene>, asked: Asked, mayBeCut = false): Promise<number[]> {
  const seen: number[] = []
  let after: string | undefined
  for (let pages = 0; pages < 10_000; pages++) {
    const page = await list({ ...asked, ...(after !== undefined && { after }) })
    assert.ok(page.events.length <= asked.limit)
    if (!mayBeCut && page.next !== undefined) assert.equal(page.events.length, asked.limit)
    seen.push(...idsOf(page.events))
    if (page.next === undefined) return seen
    assert.notEqual(page.next, after, 'each page comes further')
    after = page.next
  }
  return assert.fail('no end')
}

/** What a walk has to return. */
function expected(events: readonly Stored[], { from = 0, to = NOON + DAY, filters = NO_FILTERS }: Asked): number[] {
  return events
    .map((event, index) => ({ ...event, index }))
    .filter(({ domain = DOMAIN.number }) => domain === DOMAIN.number)
    .filter(({ timestamp, type = 'Delivery' }) => {
      return timestamp >= from && timestamp <= to && filters.types?.includes(type) !== false
    })
    .sort((a, b) => b.timestamp - a.timestamp || b.index - a.index)
    .map(({ index }) => index)
}

describe('pages of a log', () => {
  test('return every event of the window once, newest first, however far apart they are and however often a search is stopped', async () => {
    // Some in one second, others years apart.
    const ago = fc.oneof(fc.nat(3), fc.nat(4 * 3600), fc.nat(30 * DAY), fc.nat(3000 * DAY))
    const event = fc.record({
      timestamp: ago.map((seconds) => NOON - seconds),
      type: fc.constantFrom('Delivery' as const, 'Delivery' as const, 'Bounce' as const),
      domain: fc.constantFrom(DOMAIN.number, DOMAIN.number, OTHER.number),
    })
    const asked = fc.record(
      {
        limit: fc.integer({ min: 1, max: 20 }),
        from: ago.map((seconds) => NOON - seconds),
        to: ago.map((seconds) => NOON - seconds),
        filters: fc.constant({ types: ['Bounce' as const] }),
        budgetMs: fc.constant(-1),
      },
      { requiredKeys: ['limit'] },
    )
    const rows = fc.option(fc.nat(20))
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 60 }), asked, rows, async (events, query, more) => {
        const bySecond = Map.groupBy(events, ({ timestamp }) => timestamp)
        // A whole second can always be examined.
        const fullest = Math.max(1, ...[...bySecond.values()].map((some) => some.length))
        const scene = openScene({ events, ...(more !== null && { rowsMax: fullest + more }) })
        assert.deepEqual(
          await walk(scene, query, query.budgetMs !== undefined || more !== null),
          expected(events, query),
        )
      }),
      { numRuns: 300 },
    )
  })

  test('a second with more events than can be examined at once is searched in slices', async () => {
    const events = Array.from({ length: 9000 }, (_, index) => ({ timestamp: index < 8990 ? NOON : NOON - 1 }))
    for (const rowsMax of [1100, 4100]) {
      const scene = openScene({ events, rowsMax })
      assert.deepEqual(await walk(scene, { limit: 1000 }, true), expected(events, { limit: 1000 }))
      const [first] = scene.statements.filter((sql) => sql.startsWith('SELECT arrival'))
      const before = scene.statements[scene.statements.indexOf(first ?? '') - 1]
      assert.match(before ?? '', new RegExp(`timestamp = ${NOON} `), 'not before the whole second was too much')
    }
  })

  test('the first search looks at two hours, the next at as much as sufficed, and both take one statement where that is enough', async () => {
    const events = Array.from({ length: 5000 }, (_, index) => ({ timestamp: NOON - 4999 + index }))
    const { list, statements } = openScene({ events })
    await list({ limit: 100, to: NOON })
    assert.equal(statements.length, 1)
    assert.match(statements[0] ?? '', new RegExp(`timestamp >= ${NOON - 7200 + 1} AND timestamp <= ${NOON} `))
    await list({ limit: 100, to: NOON })
    assert.equal(statements.length, 2)
    // One and a half times what a page and the event after it take.
    assert.match(statements[1] ?? '', new RegExp(`timestamp >= ${NOON - 152 + 1} AND timestamp <= ${NOON} `))
  })

  test('a page that is read again begins with the day of the event after it, not with an earlier one', async () => {
    const events = Array.from({ length: 12 }, (_, index) => ({ timestamp: NOON - index * 0.61 * DAY }))
    const { list, statements } = openScene({ events })
    await list({ limit: 4, to: NOON })
    statements.length = 0
    assert.deepEqual(idsOf((await list({ limit: 4, to: NOON })).events), [0, 1, 2, 3])
    assert.equal(statements.length, 1)
    // The fifth event is 2.44 days before noon.
    assert.match(statements[0] ?? '', new RegExp(`timestamp >= ${20_000 * DAY - 2 * DAY} AND timestamp <= ${NOON} `))
  })

  test('a page that continues another searches as far as that one needed', async () => {
    const events = Array.from({ length: 500 }, (_, index) => ({ timestamp: NOON - index * 600 }))
    const { list, statements } = openScene({ events })
    const { next } = await list({ limit: 50 })
    assert.ok(next)
    statements.length = 0
    assert.equal((await list({ limit: 50, after: next })).events.length, 50)
    assert.equal(statements.length, 1)
  })

  test('a domain with a few events in years takes a few statements', async () => {
    const events = Array.from({ length: 5 }, (_, index) => ({ timestamp: NOON - index * 400 * DAY }))
    const { list, statements } = openScene({ events })
    assert.equal((await list({ limit: 10 })).events.length, 5)
    assert.ok(statements.length <= 6, `${statements.length} statements`)
    assert.match(statements[0] ?? '', /LIMIT 11$/)
    assert.match(statements.at(-1) ?? '', /LIMIT (?:[6-9]|10)$/, 'no more than what is missing')
  })

  test('a rare type is found with the counts of days: in as many statements as there are portions of 5,000 events', async () => {
    const events = Array.from({ length: 12_000 }, (_, index) => {
      return { timestamp: NOON - 12_000 * 60 + index * 60, ...(index === 0 && { type: 'Bounce' as const }) }
    })
    const { list, statements } = openScene({ events })
    const filters = { types: ['Bounce' as const] }
    assert.deepEqual(idsOf((await list({ limit: 10, filters })).events), [0])
    const first = statements.length
    assert.ok(first <= 5, `${first} statements`)
    assert.equal(statements.filter((sql) => sql.includes('event_hour')).length, 1)
    statements.length = 0
    assert.deepEqual(idsOf((await list({ limit: 10, filters })).events), [0])
    assert.ok(statements.length < first, `${statements.length} statements the second time`)
  })

  test('the counts of days are not read for a search without filters', async () => {
    const { list, statements } = openScene({ events: [{ timestamp: NOON - 900 * DAY }] })
    await list({ limit: 10 })
    assert.deepEqual(
      statements.filter((sql) => sql.includes('event_hour')),
      [],
    )
  })

  test('a search whose time is used up ends after what was found, and says how far it came', async () => {
    const events = [{ timestamp: NOON - 30 * DAY }, { timestamp: NOON - 60 }]
    const scene = openScene({ events })
    const first = await scene.list({ limit: 10, to: NOON, budgetMs: -1 })
    assert.deepEqual(idsOf(first.events), [1])
    assert.equal(first.searchedTo, NOON - 7200 + 1)
    assert.ok(first.next)
    assert.deepEqual(await walk(scene, { limit: 10, budgetMs: -1 }, true), [1, 0])
  })

  test('a longer search that is stopped ends the page after what was found before it', async () => {
    const busy = Array.from({ length: 300 }, (_, index) => ({ timestamp: NOON - 3 * 3600 - index * 60 }))
    const scene = openScene({ events: [...busy, { timestamp: NOON - 60 }], rowsMax: 100 })
    const page = await scene.list({ limit: 200, to: NOON })
    assert.deepEqual(idsOf(page.events), [300])
    assert.equal(scene.statements.length, 2)
    assert.equal(page.searchedTo, NOON - 7200 + 1)
    const asked = { limit: 200, to: NOON }
    assert.deepEqual(await walk(scene, asked, true), expected([...busy, { timestamp: NOON - 60 }], asked))
  })

  test('of events whose replies have the same words, only those with the wanted reply are listed', async () => {
    const [wanted, longer] = ['No such user here', 'No such user here any more']
    const replies = [wanted, longer, wanted]
    const scene = openScene({ events: replies.map((reply, index) => ({ timestamp: NOON - index, reply })) })
    const list = async (filters: LogFilters) => idsOf((await scene.list({ limit: 10, filters })).events)
    assert.deepEqual(await list({ replies: [maskReply(wanted)] }), [0, 2])
    assert.deepEqual(await list({ without: { replies: [maskReply(wanted)] } }), [1])
  })

  test('a full page says how far it came: into the second of its last event', async () => {
    const events = [0, 0, 0, 5].map((ago) => ({ timestamp: NOON - ago }))
    const { list } = openScene({ events })
    const { next, searchedTo } = await list({ limit: 2 })
    assert.equal(searchedTo, NOON)
    assert.deepEqual(idsOf((await list({ limit: 2, ...(next !== undefined && { after: next }) })).events), [0, 3])
  })

  test('an event that is there several times is listed once', async () => {
    const events = Array.from({ length: 30 }, (_, index) => ({ timestamp: NOON - (index >> 1) }))
    const scene = openScene({ events, copies: 3 })
    assert.deepEqual(await walk(scene, { limit: 7 }), expected(events, { limit: 7 }))
  })

  test('all events of a message are searched for at once', async () => {
    const events = [{ timestamp: NOON }, { timestamp: NOON - 3000 * DAY }]
    const { reader, statements } = openScene({ events })
    const page = await reader.listMessage({ domains: [DOMAIN], messageId: '1', limit: 10, budgetMs: PLENTY_MS })
    assert.deepEqual(idsOf(page.events), [1])
    assert.equal(statements.length, 1)
  })

  test('events of the first and of the last second are found, and no second later is asked for', async () => {
    const last = 2 ** 32 - 1
    const { list, reader, statements } = openScene({ events: [{ timestamp: 0 }, { timestamp: last }] })
    for (const id of [0, 1]) {
      const asked = { domains: [DOMAIN], messageId: String(id), limit: 10, budgetMs: PLENTY_MS }
      assert.deepEqual(idsOf((await reader.listMessage(asked)).events), [id])
    }
    statements.length = 0
    assert.deepEqual(idsOf((await list({ limit: 2, to: last + 1 })).events), [1, 0])
    assert.ok(!statements.some((sql) => sql.includes(String(last + 1))))
  })
})
