import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextTurn } from './next-turn.ts'
import { Turn } from './turn.ts'

const LOOPS = 10
const SLICES = 20

test('however many share the thread, new work waits for one slice of one of them', async () => {
  let slices = 0
  const work = async () => {
    const turn = new Turn(-1)
    for (let slice = 0; slice < SLICES; slice++) {
      slices++
      await turn.share()
    }
  }
  const running = Promise.all(Array.from({ length: LOOPS }, work))
  const between: number[] = []
  for (let before = slices; slices < LOOPS * SLICES; before = slices) {
    await nextTurn()
    between.push(slices - before)
  }
  await running
  assert.ok(Math.max(...between) <= 1, `slices between two turns of the event loop: ${between.join(' ')}`)
})

test('they take turns', async () => {
  const order: number[] = []
  const work = async (number: number) => {
    const turn = new Turn(-1)
    for (let slice = 0; slice < 5; slice++) {
      order.push(number)
      await turn.share()
    }
  }
  await Promise.all([1, 2, 3].map(work))
  assert.deepEqual(order, Array.from({ length: 5 }, () => [1, 2, 3]).flat())
})

test('a slice that is not used up is not shared', async () => {
  let isShared = false
  setImmediate(() => {
    isShared = true
  })
  const turn = new Turn(60_000)
  for (let slice = 0; slice < 100; slice++) await turn.share()
  assert.equal(isShared, false)
})
