import assert from 'node:assert/strict'
import { test } from 'node:test'
import { madeOnce } from './made-once.ts'

test('it is made once, however many ask at the same time', async () => {
  let times = 0
  const get = madeOnce(async () => ++times)
  assert.deepEqual(await Promise.all([get(), get(), get()]), [1, 1, 1])
  assert.equal(await get(), 1)
})

test('after a failure, all who waited hear of it and the next one tries again', async () => {
  let times = 0
  const get = madeOnce(async () => {
    if (++times === 1) throw new Error('no memory')
    return times
  })
  const outcomes = await Promise.allSettled([get(), get()])
  assert.deepEqual(new Set(outcomes.map(({ status }) => status)), new Set(['rejected']))
  assert.equal(await get(), 2)
})
