/** The writer of events on databases in memory: what is decided, inserted and answered, and what happens when something fails. */
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { openModelNotices, openModelStore } from '../../../../test/harness/storage/clickhouse/model-store.ts'
import type { AttributedEvent } from '../../../events/log/event-log.ts'
import { PartlyStoredError } from '../../../events/log/partly-stored.ts'
import { AppError } from '../../../lib/app-error.ts'
import { burst } from '../../contract/log-scene.ts'
import { toEventRow } from '../rows/event-row.ts'
import { draftBatch } from './draft-batch.ts'
import { encodeChunk } from './encoded-events.ts'
import { EventWriter, type EventWriterOptions } from './event-writer.ts'

const EVEN = { number: 4, name: 'a.test' }
const ODD = { number: 5, name: 'b.test' }
const NOW_MS = 1_772_323_200_000
const LOOK_AROUND_MS = 1000
const PATIENCE_MS = 10_000

const unavailable = () => new AppError('storage_unavailable', 'Later.')

function open(t: TestContext, options: Partial<EventWriterOptions> = {}) {
  const clock = stopClock(t)
  const store = openModelStore()
  const { notices, told } = openModelNotices()
  const { clickHouse, batches } = store
  const given = { clickHouse, batches: batches.store, notices, clock: () => NOW_MS }
  const writer = new EventWriter({ ...given, ...options })
  t.after(() => writer.close())
  return { ...store, writer, told, clock }
}

/** The timer of the writer runs when the test says so; the waits for further senders are over at once. */
function stopClock(t: TestContext) {
  const timers = new Map<object, () => void>()
  const waits: number[] = []
  let isOver = false
  t.mock.method(globalThis, 'setTimeout', (run: () => void, delayMs: number) => {
    const timer = { unref: () => timer }
    if (delayMs >= LOOK_AROUND_MS) timers.set(timer, run)
    else {
      waits.push(delayMs)
      setImmediate(run)
    }
    return timer
  })
  t.mock.method(globalThis, 'clearTimeout', (timer: object) => void timers.delete(timer))
  return {
    waits,
    /** Nothing is waited for any more. */
    end() {
      isOver = true
    },
    get waiting() {
      return timers.size
    },
    /** Lets the writer look around, until it waits for the next time. */
    async lookAround() {
      const end = performance.now() + PATIENCE_MS
      const due = [...timers.values()]
      timers.clear()
      for (const run of due) run()
      for (; timers.size === 0 && !isOver; await turn()) assert.ok(performance.now() < end, 'it does not look again')
    },
  }
}

function bursts(count: number, domain = EVEN, from = 0): readonly AttributedEvent[] {
  return Array.from({ length: count }, (_, index) => burst(from + index, domain))
}

describe('a call', () => {
  test('stores each event once, with numbers in a row, counts it, and tells which domains it has', async (t) => {
    const { writer, rowsOf, inserts, told, batches } = open(t)
    assert.equal(writer.isWritable, true)
    const events = [burst(1, EVEN), burst(2, ODD), burst(1, EVEN), burst(3, EVEN)]
    assert.deepEqual(await writer.append(events), { stored: 3, duplicates: 1, expired: [] })
    const rows = rowsOf('event')
    assert.deepEqual(new Set(rows.map(({ arrival }) => arrival)), new Set([1, 2, 3]))
    assert.deepEqual(rows.map(({ domain, id }) => `${Number(domain)} ${String(id)}`).sort(), [
      '4 message-1',
      '4 message-3',
      '5 message-2',
    ])
    const counts = rowsOf('event_hour').map(({ domain, n }) => [domain, n] as const)
    assert.deepEqual(Object.fromEntries(counts), { 4: 2, 5: 1 })
    assert.deepEqual(
      rowsOf('domain_change').map(({ changed_at_ms }) => changed_at_ms),
      [NOW_MS, NOW_MS],
    )
    assert.deepEqual(new Set(told.flat()), new Set([4, 5]))
    assert.equal(told.length, 2)
    assert.ok(inserts.every(({ table, shard, isOfShard, token }) => isOfShard && shard < 2 && token.endsWith(table)))
    assert.deepEqual([...batches.unfinished.values()].flat(), [])
    // Three tables of each shard, each once.
    assert.equal(inserts.length, 6)
    assert.deepEqual(await writer.append(events), { stored: 0, duplicates: 4, expired: [] })
    assert.equal(inserts.length, 6)
    assert.equal(writer.isWritable, true)
  })

  test('says which of its events have expired, by their places', async (t) => {
    const { writer, state } = open(t)
    state.rules = { ...state.rules, removedDomains: new Set([ODD.number]) }
    const events = [...bursts(250), burst(0, ODD), ...bursts(2, EVEN, 250), burst(1, ODD)]
    assert.deepEqual(await writer.append(events), { stored: 252, duplicates: 0, expired: [250, 253] })
    state.rules = { ...state.rules, removedDomains: new Set([EVEN.number, ODD.number]) }
    const both = [burst(7, ODD), burst(8, EVEN), burst(9, ODD)]
    assert.deepEqual(await writer.append(both), { stored: 0, duplicates: 0, expired: [0, 1, 2] })
    assert.deepEqual(await writer.append([]), { stored: 0, duplicates: 0, expired: [] })
  })

  test('is converted in parts, between which others get the thread', async (t) => {
    const { writer, state } = open(t)
    let [turns, before] = [0, -1]
    const count = () => {
      turns++
      if (before < 0) setImmediate(count)
    }
    setImmediate(count)
    state.beforeHold = () => {
      before = turns
    }
    await writer.append(bursts(1000))
    assert.ok(before >= 4, `${before} turns`)
  })

  test('measures where its time goes', async (t) => {
    const { writer } = open(t)
    assert.deepEqual(writer.times.counts, { lock: 0, look: 0, decide: 0, apply: 0 })
    await writer.append(bursts(1))
    await writer.append(bursts(1))
    assert.deepEqual(writer.times.counts, { lock: 2, look: 2, decide: 2, apply: 1 })
    assert.ok(Object.values(writer.times.sumsMs).every((ms) => ms > 0 && ms < 10_000))
  })
})

describe('room for events that wait', () => {
  const isOverloaded = { code: 'overloaded' }

  test('a call beyond it is refused, unless nothing else waits', async (t) => {
    const { writer } = open(t, { limits: { waitingEvents: 10 } })
    const first = writer.append(bursts(8))
    assert.equal(writer.queuedEvents, 8)
    await assert.rejects(writer.append(bursts(3, EVEN, 20)), isOverloaded)
    assert.equal(writer.queuedEvents, 8)
    const second = writer.append(bursts(2, EVEN, 20))
    assert.deepEqual([(await first).stored, (await second).stored, writer.queuedEvents], [8, 2, 0])
    assert.equal((await writer.append(bursts(11, EVEN, 40))).stored, 11)
    const one = writer.append(bursts(1, EVEN, 60))
    await assert.rejects(writer.append(bursts(10, EVEN, 70)), isOverloaded)
    await one
  })

  test('as does one beyond it in bytes', async (t) => {
    const [row] = bursts(1).map(toEventRow)
    const each = encodeChunk(row ? [row] : []).bytes.length
    const { writer, state } = open(t, { limits: { waitingBytes: 3 * each } })
    const { promise, resolve } = Promise.withResolvers<void>()
    state.beforeHold = () => promise
    const first = writer.append(bursts(2))
    await turn()
    await assert.rejects(writer.append(bursts(2, EVEN, 4)), isOverloaded)
    const second = writer.append(bursts(1, EVEN, 6))
    await turn()
    await assert.rejects(writer.append(bursts(1, EVEN, 8)), isOverloaded)
    resolve()
    assert.deepEqual([(await first).stored, (await second).stored], [2, 1])
    assert.equal((await writer.append(bursts(9, EVEN, 20))).stored, 9)
    assert.equal((await writer.append(bursts(9, EVEN, 40))).stored, 9)
    assert.equal(writer.queuedEvents, 0)
  })
})

test('a call that is refused leaves the room as it was, to the byte', async (t) => {
  const each = encodeChunk(bursts(1).map(toEventRow)).bytes.length
  const { writer, state } = open(t, { limits: { waitingBytes: 3 * each - 1 } })
  const { promise, resolve } = Promise.withResolvers<void>()
  state.beforeHold = () => promise
  const first = writer.append(bursts(2))
  await turn()
  for (const count of [2, 2, 1]) await assert.rejects(writer.append(bursts(count, EVEN, 4)), { code: 'overloaded' })
  resolve()
  await first
})

describe('a failure', () => {
  const failShard = (failing: number, error: () => Error) => (shard: number) => {
    if (shard === failing) throw error()
  }

  test('after one event of another shard was stored says so', async (t) => {
    const { writer, state } = open(t)
    state.beforeHold = failShard(1, unavailable)
    const isPartly = (stored: number) => (error: unknown) =>
      error instanceof PartlyStoredError && error.stored === stored
    await assert.rejects(writer.append([burst(1, EVEN), burst(1, ODD)]), isPartly(1))
    await assert.rejects(writer.append([burst(1, EVEN), burst(2, EVEN), burst(3, EVEN), burst(1, ODD)]), isPartly(2))
    await assert.rejects(writer.append([burst(1, EVEN), burst(1, ODD)]), (error: unknown) => {
      return error instanceof AppError && !(error instanceof PartlyStoredError)
    })
    assert.equal(writer.queuedEvents, 0)
  })

  test('that is a bug is thrown as it is', async (t) => {
    const { writer, state } = open(t)
    state.beforeHold = failShard(1, () => new TypeError('bug'))
    await assert.rejects(writer.append([burst(1, EVEN), burst(1, ODD)]), TypeError)
  })

  test('is that of all who wait, unless it is a bug: then the others go on', async (t) => {
    for (const [error, others] of [
      [unavailable, 'rejected'],
      [() => new TypeError('bug'), 'fulfilled'],
    ] as const) {
      const { writer, state } = open(t, { limits: { events: 1 } })
      let holds = 0
      state.beforeHold = () => {
        if (++holds === 1) throw error()
      }
      const results = await Promise.allSettled([0, 1, 2].map((index) => writer.append([burst(index, EVEN)])))
      assert.deepEqual(
        results.map(({ status }) => status),
        ['rejected', others, others],
      )
      assert.equal(writer.isWritable, others === 'fulfilled')
    }
  })

  test('of a part of a call is that of all of it', async (t) => {
    const { writer, state } = open(t, { limits: { events: 1 } })
    let holds = 0
    state.beforeHold = () => {
      if (++holds === 2) throw new TypeError('bug')
    }
    await assert.rejects(writer.append(bursts(5)), TypeError)
    assert.equal(holds, 2)
    assert.equal((await writer.append(bursts(2, EVEN, 9))).stored, 2)
    // Nothing of the call that failed is tried again.
    assert.equal(holds, 4)
  })

  test('is followed by a look whether the tables can be read, before the shard is locked; a success is not', async (t) => {
    const { writer, state, reads } = open(t)
    state.beforeHold = () => {
      throw unavailable()
    }
    await assert.rejects(writer.append(bursts(1)), unavailable())
    assert.deepEqual([writer.isWritable, reads.length], [false, 0])
    let holds = 0
    state.beforeHold = () => void holds++
    state.beforeRead = () => {
      throw unavailable()
    }
    await assert.rejects(writer.append(bursts(1)), unavailable())
    assert.deepEqual([holds, reads.length, writer.isWritable], [0, 1, false])
    state.beforeRead = () => undefined
    reads.splice(0)
    assert.equal((await writer.append(bursts(1))).stored, 1)
    const probes = reads
      .slice(0, 3)
      .map(({ sql, options, domains }) => [sql.split(' ')[3], options.mustBeStrict, domains])
    assert.deepEqual(probes, [
      ['event', true, [0]],
      ['event_hour', true, [0]],
      ['sending_hour', true, [0]],
    ])
    assert.deepEqual([holds, writer.isWritable], [1, true])
    reads.splice(0)
    await writer.append(bursts(1))
    assert.equal(reads.length, 1)
  })
})

/** As a server leaves it that dies right after the decision. */
async function leaveBatch({ batches }: Pick<ReturnType<typeof open>, 'batches'>, events: readonly AttributedEvent[]) {
  const rows = events.map(toEventRow)
  const chunk = encodeChunk(rows)
  const waiting = rows.map((row, place) => ({ row, chunk, place, index: place }))
  const rules = { cutDay: '0000-01-01', closedDay: undefined, removedDomains: new Set<number>() }
  const { batch } = await draftBatch(waiting, rules, { events: new Set(), origins: new Map(), nowMs: 1 })
  const shard = (rows[0]?.domain ?? 0) % 2
  await batches.store.hold(shard, 1, (held) => held.decide([], async () => batch))
}

describe('a batch that was left behind', () => {
  for (const [what, finish] of [
    ['before something else is decided', (writer) => writer.append([burst(2, EVEN), burst(3, EVEN)])],
    ['before the shard is idle', (writer) => writer.whileIdle(0, async () => undefined)],
  ] as const satisfies readonly (readonly [string, (writer: EventWriter) => Promise<unknown>])[]) {
    test(`is applied ${what}, twice and confirmed`, async (t) => {
      const opened = open(t)
      const { writer, rowsOf, inserts, batches, told, reads } = opened
      await leaveBatch(opened, [burst(1, EVEN), burst(2, EVEN)])
      await finish(writer)
      const ids = rowsOf('event').map(({ id }) => id)
      assert.deepEqual(ids.slice(0, 2), ['message-1', 'message-2'])
      assert.equal(new Set(ids).size, ids.length)
      assert.deepEqual(
        inserts
          .slice(0, 6)
          .map(({ table }) => table)
          .sort(),
        ['domain_change', 'domain_change', 'event', 'event', 'event_hour', 'event_hour'],
      )
      assert.match(reads[0]?.sql ?? '', /uniqExact/)
      assert.deepEqual([told[0], batches.unfinished.get(0)], [[4], []])
    })
  }

  test('is applied by a server that nobody writes to, again and again until it is closed', async (t) => {
    const opened = open(t)
    const { writer, rowsOf, clock } = opened
    for (const index of [1, 2]) {
      await leaveBatch(opened, [burst(index, EVEN)])
      assert.equal(clock.waiting, 1)
      await clock.lookAround()
      assert.equal(rowsOf('event').length, index)
    }
    await writer.close()
    assert.equal(clock.waiting, 0)
  })

  test('is applied even if that of another shard cannot be', async (t) => {
    const opened = open(t)
    const { state, rowsOf, clock } = opened
    await leaveBatch(opened, [burst(1, EVEN)])
    await leaveBatch(opened, [burst(2, ODD)])
    state.beforeHold = (shard) => {
      if (shard === 0) throw unavailable()
    }
    await clock.lookAround()
    assert.deepEqual(
      rowsOf('event').map(({ domain }) => domain),
      [ODD.number],
    )
    state.beforeHold = () => undefined
    await clock.lookAround()
    assert.equal(rowsOf('event').length, 2)
  })

  test('that cannot be applied is left for the next look; only bugs are reported', async (t) => {
    const errors: unknown[] = []
    const opened = open(t, { onError: (error) => void errors.push(error) })
    const { state, rowsOf, clock } = opened
    await leaveBatch(opened, [burst(1, EVEN)])
    state.beforeHold = () => {
      throw unavailable()
    }
    await clock.lookAround()
    assert.deepEqual(errors, [])
    const bug = new TypeError('bug')
    state.beforeRead = () => {
      throw bug
    }
    await clock.lookAround()
    assert.deepEqual(errors, [bug])
    state.beforeHold = () => undefined
    state.beforeRead = () => undefined
    await clock.lookAround()
    assert.equal(rowsOf('event').length, 1)
  })
})

describe('a server that could not write', () => {
  test('can again when the tables of all shards can be read, and all shards be locked', async (t) => {
    const { writer, state, clock } = open(t)
    const fail = () => {
      throw unavailable()
    }
    state.beforeHold = fail
    await assert.rejects(writer.append(bursts(1)))
    await clock.lookAround()
    assert.equal(writer.isWritable, false)
    const held: number[] = []
    state.beforeHold = (shard) => void held.push(shard)
    state.beforeRead = ({ domains }) => (domains[0] === 1 ? fail() : undefined)
    await clock.lookAround()
    assert.deepEqual([writer.isWritable, held], [false, [0]])
    state.beforeRead = () => undefined
    await clock.lookAround()
    assert.deepEqual([writer.isWritable, held], [true, [0, 0, 1]])
    await clock.lookAround()
    assert.deepEqual(held, [0, 0, 1])
  })
})

describe('a writer', () => {
  test('that is closed refuses, and has stored what it accepted', async (t) => {
    const { writer, state, clock } = open(t)
    const { promise, resolve } = Promise.withResolvers<void>()
    state.beforeHold = () => promise
    const accepted = writer.append(bursts(1))
    await turn()
    let isClosed = false
    const closing = writer.close().then(() => {
      isClosed = true
    })
    await turn()
    assert.deepEqual([isClosed, clock.waiting], [false, 0])
    await assert.rejects(writer.append(bursts(1)), { code: 'storage_unavailable' })
    resolve()
    await closing
    assert.equal((await accepted).stored, 1)
  })

  test('that is closed while it looks around does not look again', async (t) => {
    const opened = open(t)
    const { writer, clock, state } = opened
    await leaveBatch(opened, [burst(1, EVEN)])
    const { promise, resolve } = Promise.withResolvers<void>()
    let isHeld = false
    state.beforeHold = () => {
      isHeld = true
      return promise
    }
    const looking = clock.lookAround().catch(() => undefined)
    while (!isHeld) await turn()
    const closing = writer.close()
    resolve()
    await closing
    await turn()
    assert.equal(clock.waiting, 0)
    clock.end()
    await looking
  })

  test('has as many shards as the cluster, and no other', (t) => {
    const { writer } = open(t)
    assert.equal(writer.shards, 2)
    assert.throws(() => writer.whileIdle(2, async () => undefined), RangeError)
  })

  test('writes what came together in one group, what comes meanwhile in the next, and waits for as many again', async (t) => {
    const { writer, state, clock } = open(t)
    t.mock.method(performance, 'now', () => 5000)
    let holds = 0
    let later: Promise<unknown> | undefined
    state.beforeHold = () => {
      if (++holds === 1) later = Promise.all([3, 4].map((index) => writer.append([burst(index, EVEN)])))
    }
    await Promise.all([1, 2].map((index) => writer.append([burst(index, EVEN)])))
    await later
    await turn()
    assert.equal(holds, 2)
    // As many came during the first group as were in it, none during the second, and it took no time.
    assert.deepEqual(clock.waits, [0])
  })

  test('keeps a sender that is alone waiting for nobody', async (t) => {
    const { writer, clock } = open(t)
    for (let index = 0; index < 3; index++) await writer.append([burst(index, EVEN)])
    await writer.close()
    assert.deepEqual(clock.waits, [])
  })

  test('waits for the others if one came while another was written', async (t) => {
    const { writer, state, clock } = open(t)
    let later: Promise<unknown> | undefined
    state.beforeHold = () => {
      later ??= writer.append([burst(9, EVEN)])
    }
    await writer.append(bursts(3))
    await later
    await writer.close()
    assert.equal(clock.waits.length, 1)
  })
})
