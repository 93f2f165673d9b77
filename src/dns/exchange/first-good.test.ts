import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { findFirstGood } from './first-good.ts'

interface Item {
  readonly name: string
  /** Absent: never, until it is aborted. */
  readonly result?: 'good' | 'bad'
}

const FAR_AWAY_MS = 60_000

/** Runs the items and notes the order in which they started and stopped. */
async function run(items: readonly Item[], staggerMs: number, signal = new AbortController().signal) {
  const log: string[] = []
  const attempt = async ({ name, result }: Item, own: AbortSignal) => {
    log.push(`start ${name}`)
    if (result === undefined) {
      if (!own.aborted) await new Promise((resolve) => own.addEventListener('abort', resolve, { once: true }))
      await setImmediate()
      log.push(`stop ${name}`)
    }
    return `${name} ${result ?? 'bad'}`
  }
  return { ...(await findFirstGood(items, attempt, (text) => text.endsWith('good'), staggerMs, signal)), log }
}

test('a good result ends it: what comes after is not even started', async () => {
  const { good, log } = await run(
    [
      { name: 'a', result: 'good' },
      { name: 'b', result: 'good' },
    ],
    FAR_AWAY_MS,
  )
  assert.equal(good, 'a good')
  assert.deepEqual(log, ['start a'])
  assert.ok(!process.getActiveResourcesInfo().includes('Timeout'), 'a timer is left')
})

test('a failed attempt is followed by the next at once', async () => {
  const { good, others } = await run(
    [
      { name: 'a', result: 'bad' },
      { name: 'b', result: 'good' },
    ],
    FAR_AWAY_MS,
  )
  assert.deepEqual([good, others], ['b good', ['a bad']])
})

test('a slow attempt is overtaken, aborted and named', async () => {
  const { good, overtaken, log } = await run([{ name: 'a' }, { name: 'b', result: 'good' }], 1)
  assert.equal(good, 'b good')
  assert.deepEqual(
    overtaken.map(({ name }) => name),
    ['a'],
  )
  assert.deepEqual(log, ['start a', 'start b', 'stop a'])
})

test('all failed: every result is returned', async () => {
  const { good, others } = await run(
    [
      { name: 'a', result: 'bad' },
      { name: 'b', result: 'bad' },
    ],
    FAR_AWAY_MS,
  )
  assert.deepEqual([good, others], [undefined, ['a bad', 'b bad']])
})

test('no items: an empty result at once', async () => {
  assert.deepEqual(await run([], FAR_AWAY_MS), { others: [], overtaken: [], log: [] })
})

test('an aborted signal stops those that run and starts no more', async () => {
  const abort = new AbortController()
  const result = run([{ name: 'a' }, { name: 'b', result: 'good' }], FAR_AWAY_MS, abort.signal)
  abort.abort()
  const { good, log } = await result
  assert.equal(good, undefined)
  assert.deepEqual(log, ['start a', 'stop a'])
  assert.deepEqual((await run([{ name: 'a', result: 'good' }], FAR_AWAY_MS, AbortSignal.abort())).log, [])
})

test('the time until the next attempt counts from the last one that was started', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const started: string[] = []
  const failure = Promise.withResolvers<string>()
  const abort = new AbortController()
  const attempt = async ({ name }: Item, own: AbortSignal) => {
    started.push(name)
    if (name === 'a') return failure.promise
    await new Promise((resolve) => own.addEventListener('abort', resolve, { once: true }))
    return 'bad'
  }
  const items = [{ name: 'a' }, { name: 'b' }, { name: 'c' }]
  const found = findFirstGood(items, attempt, () => false, 100, abort.signal)
  t.mock.timers.tick(50)
  failure.resolve('bad')
  await setImmediate()
  assert.deepEqual(started, ['a', 'b'])
  t.mock.timers.tick(99)
  assert.deepEqual(started, ['a', 'b'])
  t.mock.timers.tick(1)
  assert.deepEqual(started, ['a', 'b', 'c'])
  abort.abort()
  await found
})
