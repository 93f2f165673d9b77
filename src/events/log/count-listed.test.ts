import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countListed, type ListPage } from './count-listed.ts'
import type { LogQuery } from './log-query.ts'
import { COUNTED_REPLIES_MAX, type CountedField, type CountQuery } from './match-counts.ts'

const TIME = 1_772_366_400
const DOMAINS = [
  { number: 4, name: 'a.test' },
  { number: 7, name: 'b.test' },
]

function queryOf(fields: readonly CountedField[], more: Partial<CountQuery> = {}): CountQuery {
  const window = { startTimestamp: TIME - 1000, endTimestamp: TIME }
  return { domains: DOMAINS, filters: {}, window, budgetMs: 60_000, fields, bucketSeconds: 60, ...more }
}

function textOf(fields: object = {}): string {
  return JSON.stringify({ timestamp: TIME, type: 'Bounce', domain_name: 'a.test', ...fields })
}

/** Answers with these pages, one after the other, and keeps what was asked. */
function pagesOf(pages: readonly (readonly string[])[]) {
  const asked: LogQuery[] = []
  const list: ListPage = async (query) => {
    const index = asked.push(query) - 1
    const isLast = index === pages.length - 1
    return { events: pages[index] ?? [], ...(!isLast && { next: `p${index + 1}`, searchedTo: TIME - index }) }
  }
  return { list, asked }
}

test('all pages are counted, each after the one before, and no later one may be refused', async () => {
  const { list, asked } = pagesOf([[textOf(), textOf({ domain_name: 'b.test' })], [], [textOf()]])
  const counts = await countListed(list, queryOf(['type', 'domain'], { tenantId: 't1' }))
  assert.equal(counts.total, 3)
  assert.deepEqual(counts.fields[1]?.values, [
    { value: '4', count: 2 },
    { value: '7', count: 1 },
  ])
  assert.equal(counts.countedTo, undefined)
  assert.deepEqual(
    asked.map(({ after, isContinuation, tenantId }) => [after, isContinuation, tenantId]),
    [
      [undefined, undefined, 't1'],
      ['p1', true, 't1'],
      ['p2', true, 't1'],
    ],
  )
})

test('where a message was sent from is read only if it is counted', async () => {
  for (const [fields, shown] of [
    [['type', 'sending_pool'], 'sending'],
    [['type', 'reply'], 'interface'],
  ] as const) {
    const { list, asked } = pagesOf([[]])
    await countListed(list, queryOf(fields))
    assert.equal(asked[0]?.shown, shown)
  }
})

test('pages are smaller if the replies of all events are masked for them', async () => {
  const limitOf = async (query: CountQuery) => {
    const { list, asked } = pagesOf([[]])
    await countListed(list, query)
    return asked[0]?.limit
  }
  const most = await limitOf(queryOf(['type', 'reply']))
  assert.equal(await limitOf(queryOf(['type'])), most)
  assert.equal(await limitOf(queryOf(['reply'])), 1000)
  assert.equal(await limitOf(queryOf(['type'], { filters: { replies: ['no'] } })), 1000)
  assert.equal(most, 4000)
})

test('after the budget it ends with how far it has come, and gives the engine no time below zero', async () => {
  const { list, asked } = pagesOf([[textOf()], [textOf()]])
  const counts = await countListed(list, queryOf(['type'], { budgetMs: 0 }))
  assert.deepEqual([counts.total, counts.countedTo, asked.length], [1, TIME, 1])
  assert.equal(asked[0]?.budgetMs, 0)
  assert.equal(counts.fields[0]?.isNewestOnly, true)
})

test('it ends early once all replies that are counted are, if nothing else is asked for', async () => {
  const full = Array.from({ length: COUNTED_REPLIES_MAX }, () => textOf({ response_content: 'no' }))
  const more = [textOf({ response_content: 'yes' })]
  const replies = pagesOf([full.slice(1), full.slice(0, 1), more])
  assert.equal((await countListed(replies.list, queryOf(['reply']))).countedTo, TIME - 1)
  const both = pagesOf([full, more])
  const { total, fields, countedTo } = await countListed(both.list, queryOf(['reply', 'type']))
  assert.deepEqual([total, countedTo], [COUNTED_REPLIES_MAX + 1, undefined])
  assert.deepEqual(
    fields.map(({ isNewestOnly }) => isNewestOnly),
    [true, false],
  )
  assert.deepEqual(fields[0]?.values, [{ value: 'no', count: COUNTED_REPLIES_MAX }])
})

test('without an answer about how far it has come, nothing counts as searched', async () => {
  const list: ListPage = async () => ({ events: [], next: 'p1' })
  assert.equal((await countListed(list, queryOf(['type'], { budgetMs: 0 }))).countedTo, TIME)
})

test('it ends when the caller has gone away, within a page', async () => {
  const page = Array.from({ length: 4000 }, () => textOf({ subject: 'x'.repeat(2000) }))
  const caller = new AbortController()
  const list: ListPage = async () => {
    setImmediate(() => caller.abort())
    return { events: page }
  }
  await assert.rejects(countListed(list, queryOf(['type'], { signal: caller.signal })), { name: 'AbortError' })
})
