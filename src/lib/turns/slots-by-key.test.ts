import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SlotsByKey } from './slots-by-key.ts'

test('a key that has used up its slots waits; another key does not', async () => {
  const slots = new SlotsByKey({ runningMax: 1, waitingMax: 1 })
  const first = await slots.take('busy')
  const waiting = slots.take('busy')
  assert.equal(await slots.take('busy'), undefined, 'the queue of the key is full')
  const other = await slots.take('other')
  assert.ok(other)
  first?.[Symbol.dispose]()
  assert.ok(await waiting)
})

test('nothing is kept for keys without callers', async () => {
  const slots = new SlotsByKey({ runningMax: 1, waitingMax: 0 })
  for (let index = 0; index < 100; index++) {
    using _slot = await slots.take(`key ${index}`)
    assert.equal(await slots.take(`key ${index}`), undefined)
  }
  const kept = await slots.take('kept')
  await slots.take('aborted', AbortSignal.abort())
  assert.equal(slots.size, 1)
  kept?.[Symbol.dispose]()
  kept?.[Symbol.dispose]()
  assert.equal(slots.size, 0)
})
