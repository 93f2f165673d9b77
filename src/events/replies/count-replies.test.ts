import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LogPage, LogQuery } from '../log/log-query.ts'
import { countReplies, type RepliesQuery } from './count-replies.ts'

const QUERY: RepliesQuery = {
  domains: [{ number: 1, name: 'a.test' }],
  window: { startTimestamp: 0, endTimestamp: 100 },
  types: ['Bounce'],
  limit: 1000,
  budgetMs: 60_000,
}

/** Answers with as many of these events as are asked for, and keeps what was asked. */
function logOf(events: readonly object[]) {
  const asked: LogQuery[] = []
  const list = async (query: LogQuery): Promise<LogPage> => {
    asked.push(query)
    const start = Number(query.after ?? 0)
    const end = start + query.limit
    const page = events.slice(start, end).map((event) => JSON.stringify(event))
    return { events: page, ...(end < events.length && { next: String(end) }) }
  }
  return { list, asked }
}

function repeat(count: number, make: (n: number) => object): readonly object[] {
  return Array.from({ length: count }, (_, n) => make(n))
}

/** Different texts that masking leaves different. */
const worded = (n: number) => String(n).replaceAll(/\d/g, (digit) => 'abcdefghij'.charAt(Number(digit)))

test('replies are listed by how often they occur, then by their text, each with its code', async () => {
  const { list, asked } = logOf([
    { response_code: 550, response_content: 'no such user' },
    { response_code: 421, response_content: 'later' },
    { response_code: 550, response_content: 'denied' },
    { response_code: 421, response_content: 'later' },
    { response_code: 550, response_content: 'later' },
    {},
  ])
  const { replies, counted, unlisted, isCut } = await countReplies(list, QUERY)
  assert.deepEqual(replies, [
    { code: 421, text: 'later', count: 2 },
    { text: '', count: 1 },
    { code: 550, text: 'denied', count: 1 },
    { code: 550, text: 'later', count: 1 },
    { code: 550, text: 'no such user', count: 1 },
  ])
  assert.deepEqual([counted, unlisted, isCut], [6, 0, false])
  assert.deepEqual(asked[0]?.filters, { types: ['Bounce'] })
})

test('exactly as many events are examined as were asked for, in pages', async () => {
  const events = repeat(600, () => ({ response_content: 'no' }))
  const { list, asked } = logOf(events)
  const cut = await countReplies(list, { ...QUERY, limit: 599 })
  assert.deepEqual([cut.counted, cut.isCut], [599, true])
  assert.deepEqual(
    asked.map(({ limit, after, isContinuation }) => [limit, after, isContinuation]),
    [
      [250, undefined, undefined],
      [250, '250', true],
      [99, '500', true],
    ],
  )
  const whole = await countReplies(list, { ...QUERY, limit: 600 })
  assert.deepEqual([whole.counted, whole.isCut], [600, false])
})

test('after the budget it ends with the page that it has; the engine always has some time', async () => {
  const { list, asked } = logOf(repeat(600, () => ({})))
  const { counted, isCut } = await countReplies(list, { ...QUERY, budgetMs: 0 })
  assert.deepEqual([counted, isCut, asked.length, asked[0]?.budgetMs], [250, true, 1, 1])
})

test('twenty replies are listed of five hundred that are told apart; the events of all others are added up', async () => {
  const events = [...repeat(500, (n) => ({ response_content: worded(n) })), { response_content: worded(7) }]
  const whole = await countReplies(logOf(events).list, QUERY)
  assert.deepEqual([whole.replies.length, whole.counted, whole.unlisted], [20, 501, 480])
  assert.deepEqual(whole.replies[0], { text: worded(7), count: 2 })
  const others = repeat(3, () => ({ response_content: 'one more' }))
  const beyond = await countReplies(logOf([...events, ...others]).list, QUERY)
  assert.deepEqual([beyond.replies.length, beyond.counted, beyond.unlisted], [20, 504, 483])
})

test('sending addresses of all counted events are listed by how often they occur', async () => {
  const addresses = ['192.0.2.2', '192.0.2.1', '192.0.2.3', '192.0.2.3', undefined]
  const { list } = logOf(addresses.map((address) => (address === undefined ? {} : { sending_address: address })))
  assert.deepEqual((await countReplies(list, QUERY)).addresses, [
    { value: '192.0.2.3', count: 2 },
    { value: '192.0.2.1', count: 1 },
    { value: '192.0.2.2', count: 1 },
  ])
})

test('the engine searches for what is named; events without a provider or class are picked out here', async () => {
  const events = [
    { provider_name: 'Gmail', bounce_classification: 'Spam' },
    { provider_name: '', bounce_classification: 'Spam' },
    { bounce_classification: '' },
    { provider_name: 'Gmail' },
  ]
  const { list, asked } = logOf(events)
  const countOf = async (more: Partial<RepliesQuery>) => (await countReplies(list, { ...QUERY, ...more })).counted
  assert.equal(await countOf({ provider: '' }), 2)
  assert.equal(await countOf({ classification: '' }), 2)
  assert.equal(await countOf({ provider: '', classification: '' }), 1)
  await countOf({ provider: 'Gmail', classification: 'Spam', sendingAddress: '192.0.2.1' })
  assert.deepEqual(asked.at(-1)?.filters, {
    types: ['Bounce'],
    providers: ['Gmail'],
    classifications: ['Spam'],
    sendingAddresses: ['192.0.2.1'],
  })
})

test('other work gets the thread while many replies are masked', async () => {
  const { list } = logOf(repeat(1000, (n) => ({ response_content: `550 5.1.1 <user${n}@b.test> unknown `.repeat(20) })))
  let turns = 0
  const count = () => {
    turns++
    waiting = setImmediate(count)
  }
  let waiting = setImmediate(count)
  await countReplies(list, QUERY)
  clearImmediate(waiting)
  assert.ok(turns > 2, `${turns} turns`)
})
