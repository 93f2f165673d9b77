/** Inserts of a batch into tables in memory, which fail as a test says. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openModelStore } from '../../../../test/harness/storage/clickhouse/model-store.ts'
import { AppError } from '../../../lib/app-error.ts'
import { burst } from '../../contract/log-scene.ts'
import { encodeChanges } from '../rows/encode-rows.ts'
import { toEventRow } from '../rows/event-row.ts'
import { type Application, applyBatch } from './apply-batch.ts'
import { Deadline } from './deadline.ts'
import { encodeChunk, joinRows } from './encoded-events.ts'

const FIRST = 40
const unavailable = () => new AppError('storage_unavailable', 'Later.')

/** Three events, and one row of `domain_change`. */
function open({ events = 3, deadlineMs = 60_000, isRepeated = false, isHeld = true } = {}) {
  const { clickHouse, state, inserts, reads, rowsOf } = openModelStore()
  const rows = Array.from({ length: events }, (_, index) => toEventRow(burst(index, { number: 2, name: 'a.test' })))
  const chunk = encodeChunk(rows)
  const application: Application = {
    batch: {
      shard: 1,
      first: FIRST,
      events,
      token: 't',
      domainNumbers: new Set([2]),
      payload: Buffer.alloc(0),
    },
    content: {
      events: joinRows(rows.map((_, place) => ({ chunk, place }))),
      counts: [['domain_change', encodeChanges([{ domain: 2, changedAtMs: 7 }])]],
    },
    isRepeated,
    deadline: new Deadline(deadlineMs),
    held: { isHeld },
  }
  const tables = () => inserts.map(({ table }) => table).sort()
  return { apply: () => applyBatch(clickHouse, application), state, inserts, reads, rowsOf, tables }
}

const ONCE = ['domain_change', 'event']
const TWICE = ['domain_change', 'domain_change', 'event', 'event']

describe('a batch', () => {
  test('is inserted once, with its numbers, by a token for each table, at its shard', async () => {
    const { apply, inserts, reads, rowsOf, tables } = open()
    await apply()
    assert.deepEqual([tables(), reads], [ONCE, []])
    assert.deepEqual(
      rowsOf('event').map(({ arrival }) => arrival),
      [40, 41, 42],
    )
    assert.deepEqual(inserts.map(({ token }) => token).sort(), ['t domain_change', 't event'])
    for (const { shard, isOfShard, timeoutMs } of inserts)
      assert.deepEqual([shard, isOfShard, timeoutMs], [1, true, 5000])
  })

  test('gets no more time than there is', async () => {
    const { apply, inserts } = open({ deadlineMs: 3000 })
    await apply()
    for (const { timeoutMs } of inserts) assert.ok(timeoutMs <= 3000 && timeoutMs > 1000, String(timeoutMs))
  })

  test('that another may have inserted is inserted twice, and looked for strictly', async () => {
    const { apply, reads, rowsOf, tables } = open({ isRepeated: true })
    await apply()
    assert.deepEqual([tables(), rowsOf('event').length, rowsOf('domain_change').length], [TWICE, 3, 1])
    const [{ options, domains, sql } = assert.fail(), ...others] = reads
    assert.deepEqual([options.mustBeStrict, domains, others], [true, [2], []])
    assert.match(sql, /arrival >= 40 AND arrival < 43/)
  })

  test('without events is a correction: only its counts are inserted, and nothing is looked for', async () => {
    const { apply, reads, tables } = open({ events: 0, isRepeated: true })
    await apply()
    assert.deepEqual([tables(), reads], [['domain_change', 'domain_change'], []])
  })

  test('of one event is looked for as well', async () => {
    const { apply, reads, tables } = open({ events: 1, isRepeated: true })
    await apply()
    assert.deepEqual([tables(), reads.length], [TWICE, 1])
  })

  for (const [what, hook] of [
    ['was refused', 'beforeInsert'],
    ['was stored, and its answer lost', 'afterInsert'],
  ] as const) {
    test(`of which an insert ${what} is inserted again, two times in a row, and looked for`, async () => {
      const { apply, state, reads, rowsOf, inserts } = open()
      const failing = [unavailable(), undefined, unavailable()]
      state[hook] = ({ table }) => {
        const failure = table === 'event' ? failing.shift() : undefined
        if (failure) throw failure
      }
      await apply()
      const events = inserts.filter(({ table }) => table === 'event')
      // Refused, inserted, refused, inserted twice.
      assert.deepEqual([events.length, inserts.length - events.length], [5, 1])
      assert.deepEqual([rowsOf('event').length, reads.length], [3, 1])
    })
  }

  test('of which not all is found is looked for again, and refused when its time is over', async () => {
    const lost = open({ isRepeated: true, deadlineMs: 90 })
    lost.state.beforeRead = ({ sql }) => {
      // What the batch before it has stored is not counted.
      assert.match(sql, /arrival >= 40/)
      throw unavailable()
    }
    await assert.rejects(lost.apply(), { code: 'storage_unavailable' })
    assert.equal(lost.reads.length, 1)
    const other = open({ isRepeated: true, deadlineMs: 90 })
    other.state.beforeInsert = ({ body, table }) => {
      if (table === 'event') body.fill(0, 8, 16)
    }
    await assert.rejects(other.apply(), { code: 'storage_unavailable', message: /not confirmed all events/ })
    assert.equal(other.reads.length, 1)
  })

  test('is refused when its time is over, and not before', async () => {
    const { apply, state, inserts } = open({ deadlineMs: 250 })
    const startedAt = performance.now()
    state.beforeInsert = ({ table }) => {
      if (table === 'event') throw unavailable()
    }
    await assert.rejects(apply(), unavailable())
    assert.ok(inserts.length >= 2 && performance.now() - startedAt < 240)
  })

  test('a bug is thrown at once, after the other inserts have ended', async () => {
    const { apply, state, inserts } = open()
    let isOver = false
    state.beforeInsert = async ({ table }) => {
      if (table === 'event') throw new TypeError('bug')
      for (let turns = 0; turns < 5; turns++) await new Promise(setImmediate)
      isOver = true
    }
    await assert.rejects(apply(), TypeError)
    assert.deepEqual([inserts.length, isOver], [2, true])
  })

  test('is left to the next holder once the lock is lost, or its time is over', async () => {
    for (const given of [{ isHeld: false, deadlineMs: 90 }, { deadlineMs: 0 }, { isHeld: false, deadlineMs: 0 }]) {
      const { apply, inserts } = open(given)
      const reason = given.isHeld === false ? /lock of the shard is lost/ : /time is over/
      await assert.rejects(apply(), (error: Error) => {
        return error instanceof AppError && error.code === 'storage_unavailable' && reason.test(String(error.cause))
      })
      assert.deepEqual(inserts, [])
    }
  })
})

describe('a deadline', () => {
  test('ends what has a signal, and says that it does not answer', async () => {
    const late = (signal: AbortSignal) =>
      new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))))
    await assert.rejects(new Deadline(1).run(late), { code: 'storage_unavailable' })
    await assert.rejects(
      new Deadline(60_000).run(() => Promise.reject(new Error('no'))),
      /^Error: no$/,
    )
    const refusal = new AppError('overloaded', 'x')
    const refuse = (signal: AbortSignal) => late(signal).catch(() => Promise.reject(refusal))
    await assert.rejects(new Deadline(1).run(refuse), refusal)
  })

  test('has passed when its time is over; then one millisecond is left', (t) => {
    let now = 1000
    t.mock.method(performance, 'now', () => now)
    const deadline = new Deadline(100)
    assert.deepEqual([deadline.leftMs, deadline.hasPassed], [100, false])
    now += 99.6
    assert.deepEqual([deadline.leftMs, deadline.hasPassed], [1, false])
    now += 0.4
    assert.deepEqual([deadline.leftMs, deadline.hasPassed], [1, true])
    now += 50
    assert.deepEqual([deadline.leftMs, deadline.hasPassed], [1, true])
  })
})
