import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../../lib/app-error.ts'
import { ReadShares } from './read-shares.ts'

const LIMITS = { running: 4, runningPerTenant: 2, perTenant: 5, altogether: 12 }

/** Reads that end when they are told to. */
function openScene() {
  const shares = new ReadShares(LIMITS)
  const running: { readonly name: string; readonly end: () => void }[] = []
  const read = (name: string, share: Parameters<ReadShares['run']>[0] = { tenantId: name }) =>
    shares.run(share, () => {
      const { promise, resolve } = Promise.withResolvers<string>()
      running.push({ name, end: () => resolve(name) })
      return promise
    })
  const names = () => running.map(({ name }) => name)
  const endFirst = async () => {
    await settle()
    running.shift()?.end()
    await settle()
  }
  const endAll = async (reads: readonly Promise<string>[]) => {
    for (await settle(); running.length > 0; ) await endFirst()
    return Promise.all(reads)
  }
  return { shares, read, endFirst, endAll, names }
}

/** What can start has started. */
const settle = () => new Promise(setImmediate)

const hasCode = (code: string) => (error: unknown) => error instanceof AppError && error.code === code

describe('shares of the reads', () => {
  test('a tenant has a part of the running reads, and the others do not wait for its queue', async () => {
    const { shares, read, endFirst, endAll, names } = openScene()
    const all = [read('a'), read('a'), read('a'), read('a'), read('a'), read('b'), read('c')]
    await settle()
    assert.deepEqual(names(), ['a', 'a', 'b', 'c'])
    assert.deepEqual([shares.load.running, shares.load.waiting], [4, 3])
    all.push(read('d'))
    await endFirst()
    assert.equal(names().length, 4)
    await endFirst()
    assert.ok(names().includes('d'), 'before the rest of the queue of a')
    assert.equal((await endAll(all)).length, 8)
    assert.deepEqual([shares.load.running, shares.load.waiting], [0, 0])
  })

  test('reads beyond the limit of a tenant are refused, except those of a response that has begun', async () => {
    const { read, endAll } = openScene()
    const all = [1, 2, 3, 4, 5].map(() => read('a'))
    await assert.rejects(read('a'), hasCode('too_many_reads'))
    all.push(read('a', { tenantId: 'a', isContinuation: true }))
    await assert.rejects(read('a', { tenantId: 'a', isContinuation: true }), hasCode('overloaded'))
    await endAll(all)
    assert.deepEqual(await endAll([read('a')]), ['a'])
  })

  test('no more wait than altogether may', async () => {
    const { read, endAll } = openScene()
    const all = ['a', 'a', 'a', 'a', 'b', 'b', 'b', 'b', 'c', 'c', 'c', 'c'].map((name) => read(name))
    await assert.rejects(read('d'), hasCode('overloaded'))
    await endAll(all)
  })

  test('a caller that goes away while its read waits leaves the queue', async () => {
    const { shares, read, endAll } = openScene()
    const all = [read('a'), read('a')]
    const gone = new AbortController()
    const waiting = read('left', { tenantId: 'a', signal: gone.signal })
    gone.abort(new Error('gone'))
    await assert.rejects(waiting, hasCode('invalid_request'))
    await assert.rejects(read('late', { signal: gone.signal }), hasCode('invalid_request'))
    assert.equal(shares.load.waiting, 0)
    await endAll(all)
    assert.equal(shares.load.running, 0)
  })

  test('a read that fails gives its place to the next', async () => {
    const { shares, read, endAll } = openScene()
    for (let index = 0; index < 20; index++) {
      await assert.rejects(
        shares.run({ tenantId: 'a' }, () => Promise.reject(new Error('failed'))),
        /failed/,
      )
    }
    assert.deepEqual(await endAll([read('a')]), ['a'])
  })

  test('a series occupies nothing between its parts', async () => {
    const { shares } = openScene()
    const parts = shares.runParts({ tenantId: 'a' }, numbers())
    assert.equal((await parts.next()).value, 1)
    assert.deepEqual([shares.load.running, shares.load.waiting], [0, 0])
    const rest: number[] = []
    for await (const part of parts) rest.push(part)
    assert.deepEqual(rest, [2, 3])
    async function* numbers() {
      yield* [1, 2, 3]
    }
  })
})
