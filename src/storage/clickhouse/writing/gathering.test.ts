import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { Gathering } from './gathering.ts'

const TOOK_MS = 100

/** Whether it has resolved, with time standing still unless the test moves it. */
function start(t: TestContext, isEnough: () => boolean) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const gathering = new Gathering()
  const state = { isOver: false }
  void gathering.until(isEnough, TOOK_MS).then(() => {
    state.isOver = true
  })
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  return { gathering, state, settled }
}

describe('the wait for senders that were just answered', () => {
  test('does not begin if as much waits as was written', async (t) => {
    const { state, settled } = start(t, () => true)
    await settled()
    assert.ok(state.isOver)
  })

  test('ends with the request that makes it enough, not before', async (t) => {
    let waiting = 0
    const { gathering, state, settled } = start(t, () => waiting >= 2)
    for (; waiting < 1; waiting++) gathering.notify()
    gathering.notify()
    await settled()
    assert.ok(!state.isOver)
    waiting = 2
    gathering.notify()
    await settled()
    assert.ok(state.isOver)
  })

  test('ends without them after half of the time that the last group took', async (t) => {
    const { state, settled } = start(t, () => false)
    t.mock.timers.tick(TOOK_MS / 2 - 1)
    await settled()
    assert.ok(!state.isOver)
    t.mock.timers.tick(1)
    await settled()
    assert.ok(state.isOver)
  })

  test('leaves neither a timer nor a look at what waits', async (t) => {
    let [looks, waiting] = [0, 0]
    const { gathering, settled } = start(t, () => {
      looks++
      return waiting > 0
    })
    const cleared = t.mock.method(globalThis, 'clearTimeout')
    waiting = 1
    gathering.notify()
    await settled()
    const before = looks
    gathering.notify()
    assert.deepEqual([looks - before, cleared.mock.callCount()], [0, 1])
  })
})
