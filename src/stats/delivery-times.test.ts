import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeliveryTime } from '../events/delivery-times/sample-delivery-times.ts'
import { getDeliveryTimes } from './delivery-times.ts'

/** Parts of 100 seconds. */
const window = { startTimestamp: 1000, endTimestamp: 3399 }

async function timesOf(times: readonly Partial<DeliveryTime>[]) {
  const whole = times.map((time) => ({ timestamp: 1000, provider: 'p', seconds: 1, ...time }) as DeliveryTime)
  const asked: unknown[] = []
  const log = {
    deliveryTimes: async (query: unknown) => {
      asked.push(query)
      return { times: whole, sampled: 7, isCut: true }
    },
  }
  return { ...(await getDeliveryTimes({ log, budgetMs: 50 }, { tenantId: 't', domains: [], window })), asked }
}

test('a window has 24 parts, and a delivery is in the one that its time is in', async () => {
  const timestamps = [1000, 1099, 1100, 2399, 3300, 3399]
  const { starts, providers, sampled, isCut, asked } = await timesOf(timestamps.map((timestamp) => ({ timestamp })))
  assert.deepEqual([starts.length, starts[0], starts[1], starts[23]], [24, 1000, 1100, 3300])
  const filled = providers[0]?.parts.flatMap(({ count }, part) => (count > 0 ? [[part, count]] : []))
  assert.deepEqual(filled, [
    [0, 2],
    [1, 1],
    [13, 1],
    [23, 2],
  ])
  assert.deepEqual([sampled, isCut], [7, true])
  assert.deepEqual(asked, [{ tenantId: 't', domains: [], window, parts: 24, perPart: 40, budgetMs: 100 }])
})

test('a median needs five deliveries, and the slowest of twenty needs twenty', async () => {
  const all = async (count: number) => {
    const seconds = Array.from({ length: count }, (_, index) => ({ seconds: count - index }))
    return (await timesOf(seconds)).all
  }
  assert.deepEqual(await all(0), { count: 0 })
  assert.deepEqual(await all(4), { count: 4 })
  assert.deepEqual(await all(5), { count: 5, median: 3 })
  assert.deepEqual(await all(6), { count: 6, median: 3 })
  assert.deepEqual(await all(19), { count: 19, median: 10 })
  assert.deepEqual(await all(20), { count: 20, median: 10, percentile95: 19 })
  assert.deepEqual(await all(21), { count: 21, median: 11, percentile95: 20 })
})

test('the providers with the most deliveries come first, up to fifty', async () => {
  const times = Array.from({ length: 60 }, (_, index) => ({ provider: `p${index}` }))
  const { providers } = await timesOf([...times, { provider: 'p7' }, { provider: 'p7' }, { provider: 'p9' }])
  assert.deepEqual(
    [providers.length, ...providers.slice(0, 2).map(({ provider, count }) => [provider, count])],
    [50, ['p7', 3], ['p9', 2]],
  )
})
