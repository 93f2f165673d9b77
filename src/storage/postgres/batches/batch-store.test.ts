import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { PostgresDatabases } from '../../../../test/harness/storage/postgres-databases.ts'
import { ShardHolder } from '../../../../test/harness/storage/shard-holder.ts'
import { AppError } from '../../../lib/app-error.ts'
import { Postgres } from '../database/postgres.ts'
import type { BatchDraft } from './batch.ts'
import { BatchStore } from './batch-store.ts'
import type { HeldShard } from './held-shard.ts'

const WAIT_MS = 20_000
const MOVE_CUT = 'INSERT INTO shard VALUES (1, $1) ON CONFLICT (number) DO UPDATE SET cut_day = excluded.cut_day'
const NOTICE = { channel: 'test', text: '' }

const isUnavailable = (error: unknown) => error instanceof AppError && error.code === 'storage_unavailable'

function draft(events: number, changes: Partial<BatchDraft> = {}): () => Promise<BatchDraft> {
  const token = randomBytes(8).toString('hex')
  return async () => ({
    events,
    token,
    domainNumbers: new Set([1]),
    payload: Buffer.from('x'),
    closedCounts: [],
    ...changes,
  })
}

describe('batches in PostgreSQL', () => {
  let databases: PostgresDatabases
  before(async () => {
    databases = await PostgresDatabases.start()
  })
  after(() => databases[Symbol.asyncDispose]())

  async function openScene(silenceMs = 30_000) {
    const url = await databases.create()
    const resources = new AsyncDisposableStack()
    const openStore = () => {
      const db = new Postgres(url)
      const store = new BatchStore({ db, silenceMs })
      resources.defer(async () => {
        store.close()
        await db.close()
      })
      return { db, store }
    }
    const [a, b] = [openStore(), openStore()]
    const dispose = () => resources.disposeAsync()
    return { url, a: a.store, b: b.store, db: b.db, openStore, resources, [Symbol.asyncDispose]: dispose }
  }

  const decideAlone = (store: BatchStore, shard: number, events: number) =>
    store.hold(shard, WAIT_MS, (held) => held.decide([1], draft(events)))

  test('a shard has one holder at a time, on all servers and within one, and other shards are free', async () => {
    await using scene = await openScene()
    const { a, b } = scene
    let holders = 0
    let held = 0
    const use = (store: BatchStore) =>
      store.hold(3, WAIT_MS, async (shard) => {
        assert.equal(++holders, 1, 'alone')
        await shard.decide([1], draft(1))
        held++
        holders--
      })
    await Promise.all([a, b, a, b, a, b].map(use))
    assert.equal(held, 6)
    await a.hold(3, WAIT_MS, async () => {
      assert.equal(await b.hold(4, 1000, async ({ number }) => number), 4)
      await assert.rejects(
        b.hold(3, 50, async () => assert.fail('two holders')),
        isUnavailable,
      )
      assert.equal(await b.tryHold(3, async () => assert.fail('two holders')), undefined)
    })
    assert.equal(await b.tryHold(3, async () => 'free'), 'free')
  })

  test('what was decided is found by the next holder, byte for byte and oldest first, until it is finished', async () => {
    await using scene = await openScene()
    const { a, b } = scene
    const payload = randomBytes(300_000)
    const domainNumbers = new Set([5, 70_000])
    const decided = await a.hold(1, WAIT_MS, (held) =>
      held.decide([5], draft(10, { payload, domainNumbers, token: 'one' })),
    )
    await decideAlone(a, 1, 3)
    assert.deepEqual(await b.readHorizon(), { next: 14, unfinished: new Map([[1, 1]]) })
    assert.deepEqual(await b.listWaiting(), [1])
    await b.hold(1, WAIT_MS, async (held) => {
      const found = await held.findUnfinished()
      assert.deepEqual(found && { ...found, payload: Buffer.from(found.payload) }, decided)
      await held.finish(found ?? assert.fail(), NOTICE)
      assert.equal((await held.findUnfinished())?.first, 11)
    })
    assert.deepEqual((await a.readHorizon()).unfinished, new Map([[1, 11]]))
  })

  test('a process that is killed with the lock in its hands leaves its decision and the lock to the next', async () => {
    await using scene = await openScene()
    const holder = await ShardHolder.start(scene.url, scene.resources)
    assert.equal(await holder.hold(2), 'held')
    assert.equal(await holder.decide(7), 'decided 1')
    holder.kill('SIGKILL')
    await scene.a.hold(2, WAIT_MS, async (held) => {
      assert.deepEqual((await held.findUnfinished())?.events, 7)
    })
  })

  test('a process that hangs loses the lock, and can decide nothing when it continues', async () => {
    await using scene = await openScene()
    const holder = await ShardHolder.start(scene.url, scene.resources, 700)
    assert.equal(await holder.hold(2), 'held')
    holder.kill('SIGSTOP')
    const first = await scene.a.hold(2, WAIT_MS, (held) => held.decide([1], draft(4)))
    assert.equal(first?.first, 1)
    holder.kill('SIGCONT')
    assert.match(await holder.decide(7), /^failed storage_unavailable/)
    assert.equal((await scene.a.readHorizon()).next, 5)
  })

  test('a holder whose session PostgreSQL has ended cannot decide, and the next call gets a new session', async () => {
    await using scene = await openScene()
    const { a, db } = scene
    const decideLost = a.hold(1, WAIT_MS, async (held) => {
      await db.run(`SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted`)
      return held.decide([1], draft(5))
    })
    await assert.rejects(decideLost, isUnavailable)
    assert.deepEqual(await a.readHorizon(), { next: 1, unfinished: new Map() })
    assert.equal((await decideAlone(a, 1, 2))?.first, 1)
  })

  test('a decision is durable when it returns, also on a server that does not wait for its disk by default', async () => {
    await using scene = await openScene()
    const read = "SELECT current_setting('synchronous_commit') AS value"
    assert.equal((await scene.db.get<{ value: string }>(read))?.value, 'off')
    const deciding = await scene.a.hold(1, WAIT_MS, (held) =>
      held.transaction((statements) => statements.get<{ value: string }>(read)),
    )
    assert.equal(deciding?.value, 'on')
  })

  test('a decision that fails half-way leaves nothing, and the lock is released', async () => {
    await using scene = await openScene()
    const { a, b } = scene
    const failing = a.hold(1, WAIT_MS, (held) => held.decide([1], () => Promise.reject(new RangeError('full'))))
    await assert.rejects(failing, RangeError)
    assert.equal(await a.hold(1, WAIT_MS, (held) => held.decide([1], async () => undefined)), undefined)
    assert.deepEqual(await b.readHorizon(), { next: 1, unfinished: new Map() })
    assert.equal((await decideAlone(b, 1, 2))?.first, 1)
  })

  test('numbers become visible in their order, without gaps, however many decide at the same time', async () => {
    await using scene = await openScene()
    const { db } = scene
    let isDone = false
    const watching = watch()
    await Promise.all(
      [0, 1, 2, 3].map(async (shard) => {
        const { store } = scene.openStore()
        for (let round = 0; round < 25; round++) await decideAlone(store, shard, 1 + ((round * 7 + shard) % 5))
      }),
    )
    isDone = true
    await watching
    const batches = await readBatches()
    assert.equal(batches.length, 100)

    async function readBatches() {
      return db.all<{ first: number; events: number }>('SELECT first, events FROM batch ORDER BY first')
    }

    async function watch(): Promise<void> {
      let known = 0
      for (let next = 1; !isDone; ) {
        const seen = (await scene.a.readHorizon()).next
        const batches = await readBatches()
        const firsts = batches.map(({ first }) => first)
        assert.ok(
          firsts.slice(known).every((first) => first >= next),
          'no number below one that was seen',
        )
        let end = 1
        for (const { first, events } of batches) {
          assert.equal(first, end, 'no gap')
          end = first + events
        }
        assert.ok(end >= seen, 'every batch below the number that was seen is visible')
        known = firsts.length
        next = end
      }
    }
  })

  test('the cut does not move while somebody decides by it, and holds for the next decision', async () => {
    await using scene = await openScene()
    const { a, db } = scene
    await a.hold(1, WAIT_MS, (held) =>
      held.decide([1], async ({ cutDay }) => {
        assert.equal(cutDay, '0000-01-01')
        await assert.rejects(
          db.transaction(async (statements) => {
            await statements.run('SET LOCAL lock_timeout = 50')
            await statements.run(MOVE_CUT, '2026-03-02')
          }),
          isUnavailable,
        )
        return draft(1)()
      }),
    )
    await db.run(MOVE_CUT, '2026-03-02')
    await a.hold(1, WAIT_MS, (held) =>
      held.decide([1], async ({ cutDay }) => {
        assert.equal(cutDay, '2026-03-02')
        return undefined
      }),
    )
  })

  test('removed domains are known to every decision that follows', async () => {
    await using scene = await openScene()
    await scene.db.run('INSERT INTO removed_domain VALUES (7), (9)')
    const rules = await scene.a.hold(1, WAIT_MS, async (held) => {
      let found: ReadonlySet<number> | undefined
      await held.decide([7, 8], async ({ removedDomains }) => {
        found = removedDomains
        return undefined
      })
      return found
    })
    assert.deepEqual(rules, new Set([7]))
  })

  test('finishing announces once, after the batch is gone', async () => {
    await using scene = await openScene()
    const { a, db } = scene
    const heard: string[] = []
    const first = Promise.withResolvers<readonly number[]>()
    const stop = await db.listen('test', {
      onNotice: ({ payload = '' }) => {
        heard.push(payload)
        first.resolve(a.listWaiting())
      },
      onEnd: () => undefined,
    })
    scene.resources.defer(stop)
    const finishTwice = async (held: HeldShard) => {
      const batch = await held.decide([1], draft(1))
      assert.ok(batch)
      await held.finish(batch, { channel: 'test', text: '5 6' })
      await held.finish(batch, { channel: 'test', text: '5 6' })
      // Another batch may wait only after the announcement has been looked at.
      assert.deepEqual(await first.promise, [])
      const last = await held.decide([1], draft(1))
      await held.finish(last ?? assert.fail(), { channel: 'test', text: 'last' })
    }
    await a.hold(1, WAIT_MS, finishTwice)
    const deadline = performance.now() + WAIT_MS
    while (heard.at(-1) !== 'last') {
      assert.ok(performance.now() < deadline)
      await db.run('SELECT 1')
    }
    assert.deepEqual(heard, ['5 6', 'last'])
  })
})
