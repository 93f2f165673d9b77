import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FairSlots } from './fair-slots.ts'

async function work(slots: FairSlots, key: string, order: string[]): Promise<void> {
  using slot = await slots.take(key)
  if (!slot) return
  order.push(key)
  await new Promise(setImmediate)
}

describe('fair slots', () => {
  test('a key with one waiting caller is next, however many callers of another key wait', async () => {
    const slots = new FairSlots({ runningMax: 1, waitingMaxPerKey: 10 })
    const order: string[] = []
    const running = ['a', 'a', 'a', 'a', 'b', 'c', 'b'].map((key) => work(slots, key, order))
    await Promise.all(running)
    assert.deepEqual(order, ['a', 'a', 'b', 'c', 'a', 'b', 'a'])
  })

  test('a full queue refuses its own key only, and leaves no trace when all is done', async () => {
    const slots = new FairSlots({ runningMax: 1, waitingMaxPerKey: 2 })
    const order: string[] = []
    const running = ['a', 'a', 'a', 'a', 'a', 'b'].map((key) => work(slots, key, order))
    await Promise.all(running)
    assert.deepEqual(order, ['a', 'a', 'b', 'a'])
    const again: string[] = []
    await Promise.all(['a', 'a', 'a'].map((key) => work(slots, key, again)))
    assert.deepEqual(again, ['a', 'a', 'a'])
  })

  test('never more than the limit run at a time', async () => {
    const slots = new FairSlots({ runningMax: 3, waitingMaxPerKey: 100 })
    let running = 0
    let most = 0
    await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        using _slot = await slots.take(`key ${index % 7}`)
        most = Math.max(most, ++running)
        await new Promise(setImmediate)
        running--
      }),
    )
    assert.equal(most, 3)
  })
})
