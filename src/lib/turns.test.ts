import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Turns } from './turns.ts'

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

test('no more than the given number run at a time, in the order in which they came', async () => {
  const turns = new Turns(2)
  const started: number[] = []
  let running = 0
  let most = 0
  const work = (index: number) =>
    turns.run(async () => {
      started.push(index)
      most = Math.max(most, ++running)
      await nextTurn()
      running--
    })
  await Promise.all([0, 1, 2, 3, 4, 5].map(work))
  assert.equal(most, 2)
  assert.deepEqual(started, [0, 1, 2, 3, 4, 5])
})

test('work that fails gives its turn on', async () => {
  const turns = new Turns(1)
  const failing = turns.run(() => Promise.reject(new Error('no')))
  const following = turns.run(() => Promise.resolve('yes'))
  await assert.rejects(failing, /no/)
  assert.equal(await following, 'yes')
  assert.equal(await turns.run(() => Promise.resolve('again')), 'again')
})
