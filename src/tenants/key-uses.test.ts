import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { KeyUses } from './key-uses.ts'

/** Replaces the only method that is used: a real store does not fail on request. */
function recorder() {
  const batches: Map<string, number>[] = []
  let failure: Error | undefined
  return {
    batches,
    fail: (error: Error | undefined) => {
      failure = error
    },
    async recordKeyUse(batch: ReadonlyMap<string, number>) {
      if (failure) throw failure
      batches.push(new Map(batch))
    },
  }
}

describe('key uses', () => {
  test('a flush writes the latest use of each key once, and nothing when there was none', async () => {
    const store = recorder()
    const uses = new KeyUses(store)
    await uses.flush()
    uses.record('a', 10)
    uses.record('b', 20)
    uses.record('a', 30)
    uses.record('a', 25)
    await uses.flush()
    await uses.flush()
    assert.deepEqual(store.batches, [
      new Map([
        ['a', 30],
        ['b', 20],
      ]),
    ])
  })

  test('uses that could not be written are written with the next flush, newer ones kept', async () => {
    const store = recorder()
    const uses = new KeyUses(store)
    uses.record('a', 10)
    uses.record('b', 10)
    store.fail(new Error('disk full'))
    const failed = uses.flush()
    uses.record('a', 20)
    await assert.rejects(failed, /disk full/)
    store.fail(undefined)
    await uses.flush()
    assert.deepEqual(store.batches, [
      new Map([
        ['a', 20],
        ['b', 10],
      ]),
    ])
  })
})
