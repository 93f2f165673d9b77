import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LogPage, LogQuery } from '../log/log-query.ts'
import {
  LONGEST_SECONDS,
  receptionsByMessage,
  type SampledDelivery,
  sampleDeliveryTimes,
} from './sample-delivery-times.ts'

const DOMAIN = { number: 3, name: 'a.test' }
const QUERY = {
  domains: [DOMAIN],
  window: { startTimestamp: 1000, endTimestamp: 1099 },
  budgetMs: 60_000,
  parts: 4,
  perPart: 2,
}

/** A log in which every part of the window has these events, and a list of what was asked. */
function logOf(eventsOf: (start: number) => readonly object[]) {
  const asked: LogQuery[] = []
  const list = async (query: LogQuery): Promise<LogPage> => {
    asked.push(query)
    return { events: eventsOf(query.window.startTimestamp).map((event) => JSON.stringify(event)) }
  }
  return { list, asked }
}

const delivery = (timestamp: number, more: object = {}) => ({
  id: `m${timestamp}`,
  recipient: 'r@b.test',
  domain_name: 'a.test',
  timestamp,
  ...more,
})

test('every part of the window is sampled, every second one first, without gaps or overlaps', async () => {
  const { list, asked } = logOf((start) => [delivery(start, { provider_name: 'Gmail' }), delivery(start + 1)])
  const find = async (deliveries: readonly SampledDelivery[], budgetMs: number) => {
    assert.ok(budgetMs > 1000 && budgetMs <= 60_000, `${budgetMs} ms`)
    return deliveries.map(({ timestamp }) => timestamp - 7)
  }
  const { times, sampled, isCut } = await sampleDeliveryTimes(list, find, QUERY)
  assert.deepEqual(
    asked.map(({ window: { startTimestamp, endTimestamp }, limit, isContinuation }) => [
      startTimestamp,
      endTimestamp,
      limit,
      isContinuation,
    ]),
    [
      [1000, 1024, 2, false],
      [1050, 1074, 2, true],
      [1025, 1049, 2, true],
      [1075, 1099, 2, true],
    ],
  )
  assert.deepEqual([times.length, sampled, isCut], [8, 8, false])
  assert.deepEqual(times.slice(0, 2), [
    { timestamp: 1000, provider: 'Gmail', seconds: 7 },
    { timestamp: 1001, provider: '', seconds: 7 },
  ])
})

test('parts are of whole seconds, and all but the first continue once a delivery was found', async () => {
  const { list, asked } = logOf((start) => (start === 1000 ? [delivery(1000)] : []))
  await sampleDeliveryTimes(list, async () => [], { ...QUERY, window: { startTimestamp: 1000, endTimestamp: 1009 } })
  assert.deepEqual(
    asked.map(({ window, isContinuation }) => [window.startTimestamp, window.endTimestamp, isContinuation]),
    [
      [1000, 1001, false],
      [1005, 1006, true],
      [1002, 1004, true],
      [1007, 1009, true],
    ],
  )
})

test('other work gets the thread while many deliveries are read', async () => {
  const subject = 'x'.repeat(5000)
  const many = Array.from({ length: 4000 }, (_, index) => delivery(1000 + index, { subject }))
  const { list } = logOf(() => many)
  let turns = 0
  const count = () => {
    turns++
    waiting = setImmediate(count)
  }
  let waiting = setImmediate(count)
  await sampleDeliveryTimes(list, async () => [], { ...QUERY, parts: 1 })
  clearImmediate(waiting)
  assert.ok(turns > 2, `${turns} turns`)
})

test('a window of fewer seconds than parts is sampled second by second', async () => {
  const { list, asked } = logOf(() => [])
  const window = { startTimestamp: 5, endTimestamp: 6 }
  await sampleDeliveryTimes(list, async () => [], { ...QUERY, window })
  assert.deepEqual(
    asked.map((query) => query.window).sort((a, b) => a.startTimestamp - b.startTimestamp),
    [
      { startTimestamp: 5, endTimestamp: 5 },
      { startTimestamp: 6, endTimestamp: 6 },
    ],
  )
})

test('deliveries without a reception, and domains that were not asked for, give no time; clocks that differ, none below zero', async () => {
  const events = [delivery(1010), delivery(1011), delivery(1012, { domain_name: 'other.test' })]
  const { list } = logOf((start) => (start === 1000 ? events : []))
  const asked: (readonly SampledDelivery[])[] = []
  const find = async (deliveries: readonly SampledDelivery[]) => {
    asked.push(deliveries)
    return [1020, undefined]
  }
  const { times, sampled } = await sampleDeliveryTimes(list, find, QUERY)
  assert.deepEqual(times, [{ timestamp: 1010, provider: '', seconds: 0 }])
  assert.equal(sampled, 2)
  // Parts without deliveries ask for nothing.
  assert.equal(asked.length, 1)
  assert.deepEqual(asked[0]?.[0]?.domain, DOMAIN)
})

test('the receptions of several parts are looked for together, and each delivery gets its own', async () => {
  const { list, asked } = logOf((start) => (start === 1025 ? [] : [delivery(start), delivery(start + 1)]))
  const together: (readonly number[])[] = []
  const find = async (deliveries: readonly SampledDelivery[]) => {
    together.push(deliveries.map(({ timestamp }) => timestamp))
    return deliveries.map(() => 1000)
  }
  const { times, sampled, isCut } = await sampleDeliveryTimes(list, find, QUERY, 3)
  assert.deepEqual(together, [
    [1000, 1001, 1050, 1051],
    [1075, 1076],
  ])
  assert.deepEqual(
    asked.map(({ isContinuation }) => isContinuation),
    [false, true, true, true],
  )
  assert.deepEqual([sampled, isCut], [6, false])
  assert.deepEqual(
    times.map(({ seconds }) => seconds),
    [0, 1, 50, 51, 75, 76],
  )
})

test('parts that are listed slowly leave half of the time to the search for receptions', async () => {
  const { list, asked } = logOf((start) => [delivery(start)])
  const budgetMs = 200
  const slowly = (query: LogQuery) => {
    const end = performance.now() + budgetMs * 0.6
    while (performance.now() < end);
    return list(query)
  }
  const find = async (deliveries: readonly SampledDelivery[], leftMs: number) => {
    assert.ok(leftMs > 1, `${leftMs} ms`)
    return deliveries.map(() => 990)
  }
  const { times, sampled, isCut } = await sampleDeliveryTimes(slowly, find, { ...QUERY, budgetMs }, 4)
  assert.deepEqual([asked.length, times.length, sampled, isCut], [1, 1, 1, true])
})

test('without time left it says that parts are missing', async () => {
  const { list, asked } = logOf(() => [])
  assert.deepEqual(await sampleDeliveryTimes(list, async () => [], { ...QUERY, budgetMs: 0 }), {
    times: [],
    sampled: 0,
    isCut: true,
  })
  assert.equal(asked.length, 0)
})

test('the reception of a message is its first for exactly that recipient, within a week before the delivery', async () => {
  const { list, asked } = logOf(() => [
    { recipient: 'r@b.test', timestamp: 900 },
    { recipient: 'r@b.test', timestamp: 800 },
    { recipient: 'other.r@b.test', timestamp: 700 },
  ])
  const sampled = { id: 'm1', recipient: 'r@b.test', domain: DOMAIN, timestamp: 1000 }
  const find = receptionsByMessage(list)
  assert.deepEqual(await find([sampled, { ...sampled, recipient: 'nobody@b.test' }], 60_000), [800, undefined])
  assert.deepEqual(asked[0]?.window, { startTimestamp: 0, endTimestamp: 1000 })
  assert.deepEqual(asked[0]?.filters, { types: ['Reception'], messageId: 'm1', recipient: 'r@b.test' })
  assert.equal(asked[0]?.isContinuation, true)
  const late = { ...sampled, timestamp: LONGEST_SECONDS + 50 }
  await find([late], 60_000)
  assert.equal(asked.at(-1)?.window.startTimestamp, 50)
  const before = asked.length
  assert.deepEqual(await find([sampled], 0), [])
  assert.equal(asked.length, before)
})
