import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import * as fc from 'fast-check'
import { ANSWER, DIE, FAIL, HOLD } from '../../../../test/harness/storage/commanded-thread.ts'
import type { AppError } from '../../../lib/app-error.ts'
import { SEARCH_THRESHOLDS } from '../reading/day-plan.ts'
import { type ReadLimits, ReadPool, type ReadShare } from './read-pool.ts'

const MODULE = new URL('../../../../test/harness/storage/commanded-thread.ts', import.meta.url)
const LIMITS: ReadLimits = { perTenant: 5, altogether: 12, perThread: 3 }
const workerData = { dataDir: '', serviceMessageIdField: '', thresholds: SEARCH_THRESHOLDS }

const pools: ReadPool[] = []
after(() => Promise.all(pools.map((pool) => pool.close())))

function openPool(threads: number, limits = LIMITS) {
  const pool = new ReadPool({ threads, limits, module: MODULE, workerData })
  pools.push(pool)
  const read = (command: number, tenantId?: string, share: Partial<ReadShare> = {}) =>
    pool.read({ tenantId, isShort: false, ...share }, 'counts', [command]).then(
      () => 'answered',
      (error: AppError) => error.code ?? error.message,
    )
  return { pool, read, release: () => pool.announce({ kind: 'forget' }) }
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise(setImmediate)
}

/** Resolves when every thread has received what was sent before. */
const roundTrip = ({ read }: ReturnType<typeof openPool>) => read(ANSWER, 'somebody else', { isShort: true })

describe('the pool of reading threads', () => {
  test('a tenant that fills its queue delays only itself', async () => {
    const scene = openPool(1)
    const held = Array.from({ length: 5 }, () => scene.read(HOLD, 'greedy'))
    assert.equal(await scene.read(ANSWER, 'modest'), 'answered')
    assert.equal(await scene.read(ANSWER, 'greedy'), 'too_many_reads')
    assert.equal(await scene.read(ANSWER), 'answered', 'the service itself')
    assert.equal(await scene.read(FAIL, 'modest'), 'told to fail')
    assert.deepEqual([scene.pool.load.running, scene.pool.load.waiting], [1, 4])
    // One of it runs at a time, so each round answers one.
    for (let round = 0; round < 5; round++) {
      scene.release()
      await roundTrip(scene)
    }
    assert.deepEqual(await Promise.all(held), Array(5).fill('answered'))
    assert.equal(await scene.read(ANSWER, 'greedy'), 'answered')
  })

  test('before the end, long reads of tenants end at once, whether they run or wait; others are completed', async () => {
    const scene = openPool(1)
    const held = Array.from({ length: 4 }, (_, at) => scene.read(HOLD, at < 2 ? 'a' : 'b'))
    const own = scene.read(HOLD)
    await roundTrip(scene)
    scene.pool.endLong()
    assert.deepEqual(await Promise.all(held), Array(4).fill('storage_unavailable'))
    assert.equal(await scene.read(ANSWER, 'a'), 'storage_unavailable')
    assert.equal(await scene.read(ANSWER, 'a', { isShort: true }), 'answered')
    scene.release()
    assert.equal(await own, 'answered')
    assert.equal(await scene.read(ANSWER), 'answered')
  })

  test('short reads do not wait for long ones of the same tenant', async () => {
    const scene = openPool(1)
    const held = [scene.read(HOLD, 'a'), scene.read(HOLD, 'a')]
    assert.equal(await scene.read(ANSWER, 'a', { isShort: true }), 'answered')
    scene.release()
    await roundTrip(scene)
    scene.release()
    await Promise.all(held)
  })

  test('a thread has the next short read of a tenant before it ends the first, and no more of them', async () => {
    const scene = openPool(1)
    const held = Array.from({ length: 4 }, () => scene.read(HOLD, 'a', { isShort: true }))
    assert.equal(await scene.read(ANSWER, 'b', { isShort: true }), 'answered')
    assert.deepEqual([scene.pool.load.running, scene.pool.load.waiting], [2, 2])
    scene.release()
    await roundTrip(scene)
    scene.release()
    assert.deepEqual(await Promise.all(held), Array(4).fill('answered'))
  })

  test('a response that has begun is not cut off by the limit of its tenant, only by that of all', async () => {
    const scene = openPool(1)
    for (let index = 0; index < 5; index++) void scene.read(HOLD, 'a')
    assert.equal(await scene.read(HOLD, 'a'), 'too_many_reads')
    for (let index = 5; index < LIMITS.altogether / 2; index++) void scene.read(HOLD, 'a', { isContinuation: true })
    assert.equal(await scene.read(HOLD, 'a', { isContinuation: true }), 'overloaded', 'half of all is the most')
    for (let index = 0; index < LIMITS.altogether / 2; index++) void scene.read(HOLD)
    assert.equal(await scene.read(HOLD, 'b', { isContinuation: true }), 'overloaded')
    assert.equal(await scene.read(HOLD), 'overloaded')
  })

  test('a read whose caller has gone away leaves the queue, or its thread', async () => {
    const scene = openPool(1)
    const [running, waiting] = [new AbortController(), new AbortController()]
    const outcomes = [running, waiting].map(({ signal }) => scene.read(HOLD, 'a', { signal }))
    waiting.abort()
    assert.equal(await outcomes[1], 'invalid_request')
    assert.deepEqual([scene.pool.load.running, scene.pool.load.waiting], [1, 0])
    running.abort()
    assert.equal(await outcomes[0], 'invalid_request')
    assert.equal(await scene.read(ANSWER, 'a'), 'answered', 'after the thread has confirmed the end of the other')
    assert.equal(await scene.read(HOLD, 'a', { signal: AbortSignal.abort() }), 'invalid_request')
    assert.deepEqual([scene.pool.load.running, scene.pool.load.waiting], [0, 0])
  })

  test('reads of a thread that dies are refused; those that wait run on its successor', async () => {
    const scene = openPool(1)
    const running = [scene.read(HOLD, 'a'), scene.read(HOLD, 'b')]
    const waiting = scene.read(ANSWER, 'a')
    assert.equal(await scene.read(DIE, 'c'), 'storage_unavailable')
    assert.deepEqual(await Promise.all(running), ['storage_unavailable', 'storage_unavailable'])
    assert.equal(await waiting, 'answered')
    assert.equal(await scene.read(ANSWER, 'c'), 'answered')
    assert.deepEqual([scene.pool.load.running, scene.pool.load.waiting], [0, 0])
  })

  test('a series whose thread dies between two batches is refused', async () => {
    const pool = openPool(1)
    const range = { fromHour: 9, toHour: 10 }
    const query = { domainNumbers: [ANSWER], filters: {}, group: 'type', ...range } as const
    const batches = pool.pool.series({ isShort: false }, query)
    assert.equal((await batches.next()).done, false)
    assert.equal(await pool.read(DIE, 'a'), 'storage_unavailable')
    await assert.rejects(batches.next(), { code: 'storage_unavailable' })
  })

  const seriesOf = (batches: number) =>
    ({ domainNumbers: [], filters: {}, group: 'type', fromHour: batches, toHour: 99 }) as const

  test('a series is read batch by batch until it ends, or its caller has enough', async () => {
    const { pool } = openPool(1)
    const found: unknown[] = []
    for await (const batch of pool.series({ isShort: false }, seriesOf(3))) found.push(batch)
    assert.deepEqual(found, [[3], [2], [1]])
    for await (const batch of pool.series({ isShort: false }, seriesOf(3))) {
      assert.deepEqual(batch, [3])
      break
    }
    await until(() => pool.load.running === 0)
  })

  test('long reads that were ended before the end leave their thread, too', async () => {
    const scene = openPool(1)
    const held = scene.read(HOLD, 'a')
    await roundTrip(scene)
    scene.pool.endLong()
    assert.equal(await held, 'storage_unavailable')
    await until(() => scene.pool.load.running === 0)
  })

  test('another thread is started if all are busy, up to as many as there may be', async () => {
    const scene = openPool(2)
    void scene.read(HOLD, 'a')
    await roundTrip(scene)
    // A thread has one long read of a tenant.
    void scene.read(HOLD, 'a')
    await until(() => scene.pool.load.running === 2)
    void scene.read(HOLD, 'a')
    await roundTrip(scene)
    assert.deepEqual([scene.pool.load.running, scene.pool.load.waiting], [2, 1])
  })

  test('a read goes to the thread that has least to do', async () => {
    const scene = openPool(2)
    for (const tenant of ['a', 'a']) {
      void scene.read(HOLD, tenant)
      await roundTrip(scene)
    }
    await until(() => scene.pool.load.running === 2)
    // Both have one; each of these is on a thread of its own.
    for (const tenant of ['b', 'c', 'd', 'e']) void scene.read(HOLD, tenant)
    assert.deepEqual([scene.pool.load.running, scene.pool.load.waiting], [6, 0])
    void scene.read(HOLD, 'f')
    assert.equal(scene.pool.load.waiting, 1)
  })

  test('a day is closed when every thread has said so, or has ended', async () => {
    const scene = openPool(1)
    await scene.pool.closeDay('2026-03-01')
    await roundTrip(scene)
    await Promise.all([scene.pool.closeDay('2026-03-01'), scene.pool.closeDay('2026-03-02')])
    const aside = await scene.pool.read({ isShort: true }, 'counts', [ANSWER])
    assert.deepEqual(aside, ['2026-03-01', '2026-03-02'])
    const dying = scene.read(DIE)
    const closing = scene.pool.closeDay('2026-03-03')
    await Promise.all([dying, closing])
  })

  test('a new thread is told which days are set aside', async () => {
    const setAside = () => ['2026-03-01']
    const pool = new ReadPool({ threads: 1, limits: LIMITS, module: MODULE, workerData, setAside })
    pools.push(pool)
    assert.deepEqual(await pool.read({ isShort: true }, 'counts', [ANSWER]), ['2026-03-01'])
  })

  test('if no thread can start, every read is refused', async () => {
    const pool = new ReadPool({ threads: 2, workerData: { ...workerData, dataDir: 'nowhere\0' } })
    pools.push(pool)
    const reads = Array.from({ length: 8 }, (_, index) =>
      pool.read({ tenantId: `t${index % 2}`, isShort: false }, 'counts', [1]),
    )
    for (const { status } of await Promise.allSettled(reads)) assert.equal(status, 'rejected')
    await assert.rejects(pool.read({ isShort: true }, 'lastArrival'), { code: 'storage_unavailable' })
  })

  test('closing refuses what runs, what waits and what comes later', async () => {
    const scene = openPool(2)
    const reads = Array.from({ length: 12 }, (_, index) => scene.read(HOLD, `t${index % 3}`))
    await roundTrip(openPool(1))
    await scene.pool.close()
    assert.deepEqual(new Set(await Promise.all(reads)), new Set(['storage_unavailable']))
    assert.equal(await scene.read(ANSWER), 'storage_unavailable')
    await scene.pool.close()
  })

  test('whatever is asked in whatever order, every read ends and nothing is left behind', async () => {
    const asked = fc.record({
      command: fc.constantFrom(ANSWER, ANSWER, HOLD, HOLD, FAIL, DIE),
      tenant: fc.nat({ max: 3 }),
      isShort: fc.boolean(),
      isContinuation: fc.boolean(),
      pauses: fc.boolean(),
    })
    const property = fc.asyncProperty(
      fc.array(asked, { maxLength: 40 }),
      fc.integer({ min: 1, max: 3 }),
      async (all, threads) => {
        const { pool, read, release } = openPool(threads)
        let ended = 0
        const reads = all.map(async ({ command, tenant, pauses, ...share }) => {
          if (pauses) await new Promise(setImmediate)
          const { running, waiting } = pool.load
          assert.ok(running + waiting <= LIMITS.altogether && running <= threads * 2 * LIMITS.perThread)
          const outcome = await read(command, tenant === 0 ? undefined : `t${tenant}`, share)
          ended++
          return outcome
        })
        while (ended < all.length) {
          release()
          await new Promise(setImmediate)
        }
        await Promise.all(reads)
        assert.deepEqual([pool.load.running, pool.load.waiting], [0, 0])
        await pool.close()
      },
    )
    await fc.assert(property, { numRuns: 12 })
  })
})
