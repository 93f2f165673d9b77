import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../api/request.ts'
import { type Progress, verifyAll } from './verify-all.ts'

const names = Array.from({ length: 20 }, (_, index) => `d${index}.test`)

interface Scene {
  readonly check: (name: string) => Promise<boolean>
  readonly signal?: AbortSignal
}

async function run({ check, signal = new AbortController().signal }: Scene) {
  const seen: Progress[] = []
  const pauses: number[] = []
  await verifyAll(
    names,
    { check, pause: async (ms) => void pauses.push(ms), onProgress: (progress) => seen.push(progress) },
    signal,
  )
  return { seen, pauses, last: seen.at(-1) }
}

test('every domain is checked once, four at a time, and the results are counted', async () => {
  let running = 0
  let most = 0
  const checked: string[] = []
  const { seen, last } = await run({
    async check(name) {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setImmediate(resolve))
      running--
      checked.push(name)
      return name !== 'd3.test' && name !== 'd7.test'
    },
  })
  assert.deepEqual([...checked].sort(), [...names].sort())
  assert.equal(most, 4)
  assert.deepEqual(last, { total: 20, done: 20, wrong: 2, failed: 0, isWaiting: false })
  assert.deepEqual(seen[0], { total: 20, done: 0, wrong: 0, failed: 0, isWaiting: false })
})

test('a limit of the server is waited for, however often; other failures are given up', async () => {
  const tries = new Map<string, number>()
  const { pauses, last, seen } = await run({
    async check(name) {
      const count = (tries.get(name) ?? 0) + 1
      tries.set(name, count)
      if (name === 'd1.test' && count <= 10) throw new ApiError(429, 'slow', 5000)
      if (name === 'd2.test') throw new ApiError(503, 'busy')
      if (name === 'd4.test') throw new ApiError(404, 'gone')
      return true
    },
  })
  assert.deepEqual(last, { total: 20, done: 20, wrong: 0, failed: 2, isWaiting: false })
  assert.deepEqual([tries.get('d1.test'), tries.get('d2.test'), tries.get('d4.test')], [11, 4, 1])
  assert.equal(pauses.filter((ms) => ms === 5000).length, 10)
  assert(seen.some(({ isWaiting }) => isWaiting))
})

test('after it was stopped, nothing more is checked or reported', async () => {
  const stop = new AbortController()
  let checks = 0
  const { seen } = await run({
    signal: stop.signal,
    async check() {
      if (++checks === 5) stop.abort()
      return true
    },
  })
  assert(checks < 12)
  assert(seen.every(({ done }) => done <= 5))
})
