import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { Slots } from './slots.ts'

const NEVER = new AbortController().signal

describe('slots', () => {
  test('when all slots are taken, callers wait in order and get the next free one', async () => {
    const slots = new Slots({ runningMax: 1, waitingMax: 2 })
    const order: string[] = []
    const first = await slots.take(NEVER)
    const waiting = ['a', 'b'].map(async (name) => {
      using slot = await slots.take(NEVER)
      assert.ok(slot)
      order.push(name)
    })
    await Promise.resolve()
    assert.deepEqual(order, [])
    first?.[Symbol.dispose]()
    await Promise.all(waiting)
    assert.deepEqual(order, ['a', 'b'])
  })

  test('without a limit on the queue everybody gets a turn, also after a failure', async () => {
    const slots = new Slots({ runningMax: 2 })
    const started: number[] = []
    const work = async (index: number) => {
      using _slot = await slots.take()
      started.push(index)
      await new Promise(setImmediate)
      if (index % 2 === 0) throw new Error('no')
    }
    await Promise.allSettled([0, 1, 2, 3, 4, 5].map(work))
    assert.deepEqual(started, [0, 1, 2, 3, 4, 5])
  })

  test('a caller that finds the queue full is refused at once', async () => {
    const slots = new Slots({ runningMax: 1, waitingMax: 1 })
    using first = await slots.take(NEVER)
    const waiting = slots.take(NEVER)
    assert.equal(await slots.take(NEVER), undefined)
    first?.[Symbol.dispose]()
    assert.ok(await waiting)
  })

  test('an aborted wait leaves the queue, and the next in it gets the free slot', async () => {
    const slots = new Slots({ runningMax: 1, waitingMax: 2 })
    const first = await slots.take(NEVER)
    const impatience = new AbortController()
    const impatient = slots.take(impatience.signal)
    const patient = slots.take(NEVER)
    impatience.abort()
    assert.equal(await impatient, undefined)
    assert.equal(await slots.take(AbortSignal.abort()), undefined)
    first?.[Symbol.dispose]()
    assert.ok(await patient)
  })

  test('disposing twice frees one slot', async () => {
    const slots = new Slots({ runningMax: 1, waitingMax: 0 })
    const first = await slots.take(NEVER)
    first?.[Symbol.dispose]()
    first?.[Symbol.dispose]()
    assert.ok(await slots.take(NEVER))
    assert.equal(await slots.take(NEVER), undefined)
  })

  test('in any order of takes, returns and aborts, the limits hold and no slot is lost', async () => {
    const action = fc.constantFrom('take', 'return', 'give up')
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 60 }), async (actions) => {
        const slots = new Slots({ runningMax: 3, waitingMax: 4 })
        const held: Disposable[] = []
        const waiting = new Set<AbortController>()
        for (const next of actions) {
          if (next === 'return') held.pop()?.[Symbol.dispose]()
          if (next === 'give up') [...waiting].at(0)?.abort()
          if (next === 'take') {
            const patience = new AbortController()
            waiting.add(patience)
            const taking = slots.take(patience.signal).then((slot) => {
              waiting.delete(patience)
              if (slot) held.push(slot)
            })
            await Promise.race([taking, new Promise(setImmediate)])
          }
          await new Promise(setImmediate)
          assert.ok(held.length <= 3, `${held.length} run`)
          assert.ok(waiting.size <= 4, `${waiting.size} wait`)
          assert.ok(waiting.size === 0 || held.length === 3, 'somebody waits although there is room')
        }
      }),
      { numRuns: 100 },
    )
  })
})
