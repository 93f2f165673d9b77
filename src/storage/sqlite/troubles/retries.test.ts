import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Retries } from './retries.ts'

const DAY = '2026-03-01'

/** Attempts by the time at which they were made; `outcomes` in their order. */
function openScene(t: TestContext, outcomes: readonly (boolean | Error)[]) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const attempts: number[] = []
  let nowMs = 0
  const retries = new Retries(
    async () => {
      const outcome = outcomes[attempts.length] ?? false
      attempts.push(nowMs)
      if (outcome instanceof Error) throw outcome
      return outcome
    },
    { firstMs: 100, maxMs: 400 },
  )
  const wait = async (ms: number) => {
    for (const endMs = nowMs + ms; nowMs < endMs; ) {
      nowMs += 100
      t.mock.timers.tick(100)
      await new Promise(setImmediate)
    }
  }
  return { retries, attempts, wait }
}

test('attempts become less frequent, down to one in the longest interval, and end with success', async (t) => {
  const { retries, attempts, wait } = openScene(t, [false, new Error('EIO'), false, false, true])
  retries.add(DAY)
  retries.add(DAY)
  await wait(3000)
  assert.deepEqual(attempts, [100, 300, 700, 1100, 1500])
  // So soon afterwards it is not a new case.
  retries.add(DAY)
  await wait(300)
  assert.equal(attempts.length, 5)
  await wait(100)
  assert.equal(attempts.length, 6)
  retries.close()
})

test('no attempt follows after a day was removed, or all were', async (t) => {
  const { retries, attempts, wait } = openScene(t, [])
  retries.add(DAY)
  retries.add('2026-03-02')
  await wait(100)
  assert.equal(attempts.length, 2)
  retries.remove(DAY)
  await wait(400)
  assert.equal(attempts.length, 3)
  retries.close()
  await wait(3000)
  assert.equal(attempts.length, 3)
})
