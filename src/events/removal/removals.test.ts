import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DAY, delivery, NOON, openMemoryScene } from '../../../test/harness/app/memory-scene.ts'
import { AppError } from '../../lib/app-error.ts'
import { digestOf, type Removal } from './removal.ts'
import { Removals, type RemovalsDeps } from './removals.ts'
import { removeExpiredOfTenants } from './tenant-retention.ts'

const DAY_MS = DAY * 1000

async function openRemovals(changes: Partial<RemovalsDeps> = {}) {
  const scene = await openMemoryScene()
  const { log, removals: store, quarantine, clock } = scene.deps
  const finished: Removal[] = []
  const failures: unknown[] = []
  const erasedViews: string[] = []
  const deps: RemovalsDeps = {
    store,
    log,
    quarantine,
    clock,
    eraseHits: async () => 3,
    eraseViews: async (address) => void erasedViews.push(address),
    pause: async () => undefined,
    onFinished: async (removal) => void finished.push(removal),
    onFailure: (_, error) => void failures.push(error),
    ...changes,
  }
  const idle = async () => {
    while ((await store.listUnfinished()).length > 0) await new Promise((resolve) => setImmediate(resolve))
  }
  return { scene, deps, store, finished, failures, erasedViews, removals: new Removals(deps), idle }
}

test('a finished removal has counted everything once, and only then is reported', async () => {
  const { scene, removals, store, finished, erasedViews, idle } = await openRemovals()
  await scene.append([0, 1, 2].map((day) => delivery({ timestamp: NOON - day * DAY, recipient: 'Anna@b.test' })))
  const { id } = await removals.eraseRecipient('anna@B.test', 'local')
  await idle()
  const result = {
    events: 3,
    units: ['2026-02-27', '2026-02-28', '2026-03-01'],
    quarantined: 0,
    hits: 3,
    deletedFiles: [],
    problems: [],
  }
  assert.deepEqual((await store.find(id))?.result, result)
  assert.deepEqual(
    finished.map((removal) => [removal.id, removal.address, removal.result]),
    [[id, undefined, result]],
  )
  assert.deepEqual(erasedViews, ['anna@B.test'])
  await removals.stop()
})

test('of several servers one erases; when it stops or has nothing left to do, the next one may', async () => {
  let holder: string | undefined
  const leaseOf = (server: string) => ({
    claim: async () => {
      holder ??= server
      return holder === server
    },
    release: async () => {
      holder = undefined
    },
  })
  const pause = () => new Promise<void>((resolve) => setImmediate(resolve))
  const { deps, store, finished, idle } = await openRemovals({ pause })
  const erased: string[] = []
  const [a, b] = ['a', 'b'].map(
    (name) =>
      new Removals({ ...deps, lease: leaseOf(name), eraseHits: async (address) => erased.push(`${name} ${address}`) }),
  )
  if (!a || !b) return assert.fail()
  holder = 'a'
  // Added by a server that may not do it: it waits, and does nothing.
  const { id } = await b.eraseRecipient('one@b.test', 'local')
  for (let round = 0; round < 20; round++) await pause()
  assert.deepEqual([(await store.find(id))?.stage, erased], ['hits', []])
  a.resume()
  await idle()
  assert.deepEqual([erased, finished.length], [['a one@b.test'], 1])
  await a.stop()
  assert.equal(holder, undefined)
  await b.eraseRecipient('two@b.test', 'local')
  await idle()
  assert.deepEqual(erased, ['a one@b.test', 'b two@b.test'])
  await b.stop()
})

describe('a lease', () => {
  /** With a job that waits until `advance` is called. */
  async function openWaiting() {
    const calls: string[] = []
    const lease = {
      async claim() {
        calls.push('claim')
        return true
      },
      async release() {
        calls.push('release')
      },
    }
    const paused = Promise.withResolvers<void>()
    const left = Promise.withResolvers<void>()
    let isWaiting = true
    const opened = await openRemovals({
      lease,
      log: { erase: async () => (isWaiting ? { removed: 0, isWaiting, next: 'x' } : { removed: 0 }) },
      async pause(_, signal) {
        paused.resolve()
        signal.addEventListener('abort', () => left.resolve())
        await left.promise
      },
    })
    const advance = () => {
      isWaiting = false
      left.resolve()
    }
    return { ...opened, calls, paused: paused.promise, advance }
  }

  test('is given up when the server stops while a job waits', async () => {
    const { removals, calls, paused } = await openWaiting()
    await removals.eraseRecipient('u@b.test', 'local')
    await paused
    await removals.stop()
    assert.deepEqual(calls, ['claim', 'claim', 'release'])
  })

  test('is given up once when nothing is left to do', async () => {
    const { removals, calls, paused, advance, idle } = await openWaiting()
    await removals.eraseRecipient('u@b.test', 'local')
    await paused
    advance()
    await idle()
    await removals.stop()
    assert.deepEqual(
      calls.filter((call) => call === 'release'),
      ['release'],
    )
  })

  test('is not given up by a server that has none', async () => {
    const { removals, calls } = await openWaiting()
    await removals.stop()
    assert.deepEqual(calls, [])
  })
})

test('a server stops after the current step, and begins no other job', async () => {
  const begun: string[] = []
  const step = Promise.withResolvers<number>()
  const first = Promise.withResolvers<void>()
  const { removals, deps, store } = await openRemovals({
    eraseHits(address) {
      begun.push(address)
      first.resolve()
      return step.promise
    },
  })
  for (const id of ['1', '2'])
    await deps.store.addRecipient(`${id}@b.test`, 'digest', { id, requestedBy: 'k', requestedAtMs: 1 })
  removals.resume()
  await first.promise
  let isStopped = false
  const stopping = removals.stop().then(() => {
    isStopped = true
  })
  for (let round = 0; round < 20; round++) await new Promise(setImmediate)
  assert.equal(isStopped, false)
  step.resolve(0)
  await stopping
  assert.equal(begun.length, 1)
  assert.deepEqual((await store.listUnfinished()).map(({ stage }) => stage).sort(), ['events', 'hits'])
})

test('eight jobs take turns, and the next begins when one of them is finished', async () => {
  const begun: (readonly [address: string, finished: number])[] = []
  const { removals, deps, finished, idle } = await openRemovals({
    async eraseHits(address) {
      begun.push([address, finished.length])
      return 0
    },
  })
  for (let index = 0; index < 9; index++) {
    const removal = { id: `r${index}`, requestedBy: 'k', requestedAtMs: index }
    await deps.store.addRecipient(`r${index}@b.test`, 'digest', removal)
  }
  removals.resume()
  await idle()
  assert.deepEqual(
    begun.map(([, before]) => before),
    [0, 0, 0, 0, 0, 0, 0, 0, 8],
  )
})

test('a job that is added while the last run ends is not forgotten', async () => {
  const { deps, finished } = await openRemovals()
  let isFirst = true
  const store: RemovalsDeps['store'] = {
    ...deps.store,
    async listUnfinished() {
      const found = await deps.store.listUnfinished()
      if (isFirst) {
        isFirst = false
        await removals.eraseRecipient('u@b.test', 'local')
      }
      return found
    },
  }
  const removals = new Removals({ ...deps, store })
  removals.resume()
  for (let round = 0; round < 100; round++) await new Promise(setImmediate)
  assert.equal(finished.length, 1)
})

test('the quarantine is cleared step by step; searches are removed once', async () => {
  const steps = [{ removed: 2, next: 7 }, { removed: 1, next: 9 }, { removed: 0 }]
  const asked: number[] = []
  const { removals, finished, erasedViews, idle } = await openRemovals({
    quarantine: {
      async removeNext(_, afterId) {
        asked.push(afterId)
        return steps.shift() ?? { removed: 0 }
      },
    },
  })
  await removals.eraseRecipient('u@b.test', 'local')
  await idle()
  assert.deepEqual(asked, [0, 7, 9])
  assert.equal(finished[0]?.result.quarantined, 3)
  assert.equal(erasedViews.length, 1)
})

test('the digest names the address only to whoever knows it', async () => {
  const { removals, idle } = await openRemovals()
  const one = await removals.eraseRecipient('anna@b.test', 'local')
  const two = await removals.eraseRecipient('anna@b.test', 'local')
  assert.notEqual(one.object, two.object)
  assert.equal(one.object, digestOf(one.id, 'ANNA@b.test'))
  await idle()
})

test('a step that fails is repeated, and one job that has to wait does not keep the others', async () => {
  let failing = 3
  const { scene, deps, finished, failures } = await openRemovals()
  const log: RemovalsDeps['log'] = {
    async erase(erasure, after) {
      if (erasure.what === 'recipient' && erasure.address === 'waits@b.test')
        return { removed: 0, isWaiting: true, next: 'x' }
      if (failing-- > 0) throw new AppError('storage_unavailable', 'no')
      return deps.log.erase(erasure, after)
    },
  }
  const removals = new Removals({ ...deps, log, pause: () => new Promise((resolve) => setImmediate(resolve)) })
  await scene.append([delivery({ recipient: 'anna@b.test' })])
  await removals.eraseRecipient('waits@b.test', 'local')
  const { id } = await removals.eraseRecipient('anna@b.test', 'local')
  while (finished.length === 0) await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual([finished[0]?.id, finished[0]?.result.events, failures.length], [id, 1, 3])
  await removals.stop()
})

test('what an earlier process has left is resumed where it was', async () => {
  const { scene, deps, store, finished, idle } = await openRemovals()
  await scene.append([0, 1].map((day) => delivery({ timestamp: NOON - day * DAY })))
  const added = await store.addRecipient('u@b.test', 'digest', { id: '1', requestedBy: 'k', requestedAtMs: 1 })
  const result = { ...added.result, events: 5, units: ['2026-01-01'], hits: 1 }
  await store.save('1', { stage: 'events', position: '2026-02-28', result })
  const removals = new Removals(deps)
  removals.resume()
  await idle()
  assert.deepEqual(finished[0]?.result, { ...result, events: 6, units: ['2026-01-01', '2026-03-01'] })
  await removals.stop()
})

test('unknown tenants and domains, and texts that are not addresses, are refused', async () => {
  const { removals } = await openRemovals()
  const refusedWith = (code: string) => (error: unknown) => error instanceof AppError && error.code === code
  await assert.rejects(removals.removeTenant('nobody', 'local'), refusedWith('not_found'))
  await assert.rejects(removals.removeDomain({ id: 'nothing' }, 'local'), refusedWith('not_found'))
  for (const address of ['', 'anna', 'a\nb@c.test', ' a@b.test', `${'x'.repeat(1000)}@b`]) {
    await assert.rejects(removals.eraseRecipient(address, 'local'), refusedWith('invalid_request'), address)
  }
})

test('an address has up to a thousand characters', async () => {
  const { removals, idle } = await openRemovals()
  const longest = `${'x'.repeat(993)}@b.test`
  assert.equal((await removals.eraseRecipient(longest, 'local')).address, longest)
  await assert.rejects(removals.eraseRecipient(`x${longest}`, 'local'), { code: 'invalid_request' })
  await idle()
})

test('a thousand removals can wait, and another is refused until one of them is finished', async () => {
  const { removals, store } = await openRemovals()
  // Nothing is finished meanwhile.
  await removals.stop()
  for (let index = 0; index < 999; index++) {
    await store.addRecipient('u@b.test', 'digest', { id: `r${index}`, requestedBy: 'k', requestedAtMs: 1 })
  }
  await removals.eraseRecipient('u@b.test', 'local')
  await assert.rejects(removals.eraseRecipient('u@b.test', 'local'), { code: 'overloaded' })
  await store.finish('r0', 1)
  await removals.eraseRecipient('u@b.test', 'local')
})

test('the pause after a failure is longer than the one while nothing can be done', async () => {
  const { deps, store } = await openRemovals()
  const pauses: number[] = []
  const failures: unknown[] = []
  let step: () => Promise<{ removed: number; isWaiting?: boolean; next?: string }> = async () => {
    throw new AppError('storage_unavailable', 'no')
  }
  const removals = new Removals({
    ...deps,
    log: { erase: () => step() },
    onFailure: (removal, error) => void failures.push([removal?.id, error instanceof AppError && error.code]),
    async pause(ms) {
      pauses.push(ms)
      if (pauses.length === 1) step = async () => ({ removed: 0, isWaiting: true, next: 'x' })
      else step = async () => ({ removed: 0 })
    },
  })
  const { id } = await removals.eraseRecipient('u@b.test', 'local')
  while ((await store.find(id))?.finishedAtMs === undefined) await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(pauses, [30_000, 5000])
  assert.deepEqual(failures, [[id, 'storage_unavailable']])
  await removals.stop()
})

test('if the jobs cannot be listed, that is repeated after a pause', async () => {
  const { deps, finished } = await openRemovals()
  const seen: unknown[] = []
  let failing = 2
  const removals = new Removals({
    ...deps,
    store: {
      ...deps.store,
      listUnfinished: () => (failing-- > 0 ? Promise.reject(new Error('no')) : deps.store.listUnfinished()),
    },
    onFailure: (removal, error) => void seen.push([removal, String(error)]),
    pause: async (ms) => void seen.push(ms),
  })
  await deps.store.addRecipient('u@b.test', 'digest', { id: '1', requestedBy: 'k', requestedAtMs: 1 })
  removals.resume()
  for (let round = 0; round < 100; round++) await new Promise(setImmediate)
  assert.deepEqual(seen, [[undefined, 'Error: no'], 30_000, [undefined, 'Error: no'], 30_000])
  assert.equal(finished.length, 1)
})

test('what cannot be examined is in the receipt, and days without a match are not', async () => {
  const steps = [
    { removed: 0, unit: '2026-02-01', next: '1' },
    { removed: 2, unit: '2026-02-02', next: '2' },
    { removed: 1, unit: '2026-02-02', next: '3' },
    { removed: 0, unit: '2026-02-03', problem: 'damaged' },
  ]
  const { removals, finished, idle } = await openRemovals({
    log: { erase: async () => steps.shift() ?? { removed: 0 } },
  })
  await removals.eraseRecipient('u@b.test', 'local')
  await idle()
  assert.partialDeepStrictEqual(finished[0]?.result, {
    events: 3,
    units: ['2026-02-02'],
    problems: [{ unit: '2026-02-03', problem: 'damaged' }],
  })
})

test('with a tenant go its quarantined records, with a recipient those that name it, and with a domain none', async () => {
  const { scene, removals, idle, finished, erasedViews } = await openRemovals()
  const other = await scene.addTenant('other')
  const { quarantine, domains } = scene.deps
  const add = (tenantId: string, text: string) =>
    quarantine.add(
      [{ payload: Buffer.from(text), connector: 'x', source: { kind: 'local', name: '' }, reason: 'r', tenantId }],
      1,
    )
  const left = async () => {
    const records = await quarantine.list({ afterId: 0, limit: 100 })
    return records.map(({ payload }) => Buffer.from(payload).toString())
  }
  await add(scene.acme.id, 'one about u@b.test')
  await add(other.id, 'two about u@b.test')
  await add(other.id, 'three')
  const domain = await domains.findByName('a.test')
  assert.ok(domain)
  await removals.removeDomain(domain, 'local')
  await idle()
  assert.equal((await left()).length, 3)
  await removals.removeTenant(scene.acme.id, 'local')
  await idle()
  assert.deepEqual(await left(), ['two about u@b.test', 'three'])
  await removals.eraseRecipient('U@b.test', 'local')
  await idle()
  assert.deepEqual(await left(), ['three'])
  assert.deepEqual(
    finished.map(({ result }) => result.quarantined),
    [0, 1, 1],
  )
  assert.deepEqual(erasedViews, ['U@b.test'], 'views of nobody else')
})

describe('the retention of a tenant', () => {
  test('removes whole days of its domains only, once a day, and never by a clock that was set back', async () => {
    const { scene } = await openRemovals()
    const { keys, log } = scene.deps
    const other = await scene.addDomain(await scene.addTenant('other'), 'b.test')
    const days = Array.from({ length: 10 }, (_, day) => delivery({ id: `m${day}`, timestamp: NOON - day * DAY }))
    await scene.append(days)
    await scene.append(days, other)
    const erasures: unknown[] = []
    const erase: typeof log.erase = (...asked) => {
      erasures.push(asked)
      return log.erase(...asked)
    }
    const run = (nowMs: number) => removeExpiredOfTenants({ ...scene.deps, log: { erase } }, nowMs)
    assert.equal(await run(scene.time.nowMs), 0)
    await keys.changeTenant(scene.acme.id, { retentionDays: 3 })
    assert.equal(await run(scene.time.nowMs), 6)
    const calls = erasures.length
    assert.equal(await run(scene.time.nowMs + 3600_000), 0)
    assert.equal(await run(scene.time.nowMs - 50 * DAY * 1000), 0)
    assert.equal(erasures.length, calls)
    assert.equal(await run(scene.time.nowMs + DAY * 1000), 1)
    const counts = await log.counts([scene.domain.number, other.number])
    assert.deepEqual(
      [...counts.values()].map(({ delivery: count }) => count),
      [10, 10],
    )
  })

  test('ends between two steps when it is stopped, and the next run continues', async () => {
    const { scene } = await openRemovals()
    await scene.append([5, 6, 7].map((day) => delivery({ id: `m${day}`, timestamp: NOON - day * DAY })))
    await scene.deps.keys.changeTenant(scene.acme.id, { retentionDays: 3 })
    const stopping = new AbortController()
    const log = {
      erase: (...asked: Parameters<typeof scene.deps.log.erase>) => {
        stopping.abort()
        return scene.deps.log.erase(...asked)
      },
    }
    assert.equal(await removeExpiredOfTenants({ ...scene.deps, log }, scene.time.nowMs, stopping.signal), 1)
    assert.equal(await removeExpiredOfTenants(scene.deps, scene.time.nowMs), 2)
  })

  test('examines the last two days again, nothing without domains, and no other tenant once it is stopped', async () => {
    const { scene } = await openRemovals()
    const { keys } = scene.deps
    const other = await scene.addTenant('other')
    for (const { id } of [scene.acme, other]) await keys.changeTenant(id, { retentionDays: 3 })
    const stopping = new AbortController()
    const erasures: (readonly [what: object, after: string | undefined])[] = []
    let step: { removed: number; isWaiting?: boolean; next?: string } = { removed: 2, isWaiting: true, next: 'x' }
    const log: RemovalsDeps['log'] = {
      async erase(erasure, after) {
        erasures.push([erasure, after])
        return step
      },
    }
    const run = (nowMs: number, signal?: AbortSignal) => removeExpiredOfTenants({ ...scene.deps, log }, nowMs, signal)
    const midnightMs = Math.floor(scene.time.nowMs / DAY_MS) * DAY_MS
    const expired = { what: 'expired', domainNumbers: [scene.domain.number], beforeMs: midnightMs - 3 * DAY_MS }
    assert.equal(await run(scene.time.nowMs), 2, 'it has to wait')
    step = { removed: 1 }
    assert.equal(await run(scene.time.nowMs), 1, 'and is continued')
    assert.equal(await run(scene.time.nowMs + DAY_MS), 1)
    assert.deepEqual(erasures, [
      [expired, undefined],
      [expired, undefined],
      [{ ...expired, beforeMs: midnightMs - 2 * DAY_MS, fromMs: midnightMs - 5 * DAY_MS }, undefined],
    ])
    stopping.abort()
    assert.equal(await run(scene.time.nowMs + 2 * DAY_MS, stopping.signal), 0)
    assert.equal(erasures.length, 3)
  })
})
