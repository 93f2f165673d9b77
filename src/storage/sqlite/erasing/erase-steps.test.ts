/** What each step of an erasure removes, what it leaves, and what it finds to remove. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import type { EmailEvent } from '../../../events/event.ts'
import type { Database } from '../database/database.ts'
import { dayOfTimestamp, endOfDayMs } from '../days/day.ts'
import { DayFiles } from '../days/day-files.ts'
import { toMessageKey } from '../days/message-key.ts'
import { DayWriters } from '../writing/day-writers.ts'
import { toEventRow } from '../writing/event-row.ts'
import { type DayErasure, eraseRows } from './erase-rows.ts'
import { concerns, findRows, hadDomains } from './find-rows.ts'

const NOON = 1_772_366_400
const DAY = dayOfTimestamp(NOON)
const TABLES = ['event', 'message', 'message_signature', 'counter', 'event_per_hour', 'sending_per_hour'] as const

interface Kind {
  readonly events: number
  /** All of the same message. */
  readonly id?: string
  /** Each has a provider of its own. */
  readonly hasProviders?: boolean
  /** Each is sent from an address of its own. */
  readonly hasOrigins?: boolean
  readonly fields?: Partial<EmailEvent>
}

/** Events of the domain. */
function rowsOf(domainNumber: number, { events, id, hasProviders, hasOrigins, fields }: Kind) {
  return Array.from({ length: events }, (_, index) => {
    const own = { id: id ?? `m${index}`, recipient: `u${id === undefined ? index : ''}@b.test`, domain_name: 'a.test' }
    const provider = hasProviders ? { provider_name: `p${index}` } : {}
    const event = { ...own, timestamp: NOON + index, type: 'Delivery' as const, ...provider, ...fields }
    const extension = { sending_address: hasOrigins ? `192.0.${index >> 8}.${index & 255}` : '192.0.2.1' }
    return toEventRow({ domainNumber, event, extension })
  })
}

function openDay(...kinds: readonly Kind[]) {
  const folder = openTemporaryFolder()
  const files = new DayFiles(folder.path)
  const writers = new DayWriters(files, () => false)
  for (const [index, kind] of kinds.entries()) writers.store([rowsOf(index + 1, kind)], 0)
  writers.close()
  const db = files.openForWriting(DAY, 1000)
  const count = (table: string, where = 'true') => db.number(`SELECT count(*) FROM ${table} WHERE ${where}`)
  const close = () => {
    db.close()
    folder[Symbol.dispose]()
  }
  return {
    db,
    count,
    /** Rows of each table that are left. */
    left: () => TABLES.map((table) => count(table)),
    step: (erasure: DayErasure) => db.transaction(() => eraseRows(db, erasure)),
    /** The rows that each step removes. */
    erase(erasure: DayErasure): readonly number[] {
      const steps: number[] = []
      for (;;) {
        const { rows, isDone } = this.step(erasure)
        steps.push(rows)
        if (isDone) return steps
        // Otherwise nobody would go on.
        assert.ok(rows > 0 && steps.length < 50)
      }
    },
    [Symbol.dispose]: close,
  }
}

describe('a domain', () => {
  test('goes with its messages, signatures and counts, and nothing of its neighbours does', () => {
    using day = openDay({ events: 3 }, { events: 4 }, { events: 5 })
    const before = day.left()
    assert.deepEqual(before, [12, 12, 3, 3, 3, 3])
    assert.deepEqual(day.step({ domains: [2], keepsCounts: false }), { removed: 4, rows: 11, isDone: true })
    assert.deepEqual(day.left(), [8, 8, 2, 2, 2, 2])
    for (const table of ['event', 'counter', 'event_per_hour', 'sending_per_hour'])
      assert.equal(day.count(table, 'domain = 2'), 0)
    assert.deepEqual(day.erase({ domains: [1, 3], keepsCounts: false }), [22])
    assert.deepEqual(day.left(), [0, 0, 0, 0, 0, 0])
  })

  test('keeps its counts if it should, with the number of erased events by hour, kind and origin', () => {
    using day = openDay(
      { events: 3, fields: { provider_name: 'Gmail' } },
      {
        events: 2,
        hasOrigins: true,
        fields: { timestamp: NOON + 3600, type: 'Bounce', bounce_classification: 'Spam' },
      },
    )
    assert.deepEqual(day.erase({ domains: [1], keepsCounts: true }), [6])
    assert.deepEqual(day.left(), [2, 2, 1, 2, 2, 3])
    assert.deepEqual(day.erase({ domains: [2], keepsCounts: true }), [4])
    const erased = 'SELECT domain, hour, provider, classification, count FROM erased_per_hour ORDER BY domain'
    assert.deepEqual(day.db.allArrays(erased), [
      [1, 12, 'Gmail', '', 3],
      [2, 13, '', 'Spam', 2],
    ])
    const sending = 'SELECT domain, hour, provider, count FROM erased_sending_per_hour ORDER BY domain, origin'
    assert.deepEqual(day.db.allArrays(sending), [
      [1, 12, 'Gmail', 3],
      [2, 13, '', 1],
      [2, 13, '', 1],
    ])
    // Without its counts, nothing is left of it here either.
    day.erase({ domains: [2], keepsCounts: false })
    assert.deepEqual([day.count('erased_per_hour'), day.count('erased_sending_per_hour')], [1, 1])
  })

  test('is removed in steps of 500 rows, whatever they are', () => {
    // Events and messages, then the counts of each hour and each origin, then one counter.
    for (const [kind, steps] of [
      [{ events: 500, id: 'one' }, [500, 4]],
      [{ events: 499, id: 'one' }, [500, 3]],
      [{ events: 600 }, [500, 500, 203]],
      [{ events: 600, hasProviders: true }, [500, 500, 500, 500, 401]],
      [{ events: 200, hasProviders: true, hasOrigins: true }, [500, 301]],
    ] as const) {
      using day = openDay(kind)
      assert.deepEqual(day.erase({ domains: [1], keepsCounts: false }), steps, JSON.stringify(kind))
      assert.deepEqual(day.left(), [0, 0, 0, 0, 0, 0])
    }
    using day = openDay({ events: 250 }, { events: 3 })
    const first = day.step({ domains: [1, 2], keepsCounts: true })
    assert.deepEqual(first, { removed: 250, rows: 500, isDone: false })
    assert.deepEqual(day.step({ domains: [1, 2], keepsCounts: true }), { removed: 3, rows: 6, isDone: true })
  })
})

test('signatures of a domain are removed 50 rows at a time', () => {
  for (const [rows, steps] of [
    [49, 1],
    [50, 2],
    [120, 3],
  ] as const) {
    using day = openDay({ events: 1 }, { events: 1 })
    const columns = day.db.all<{ name: string }>('PRAGMA table_info(message_signature)').map(({ name }) => name)
    // Copies of the first one, in the same domain.
    day.db.execute(`WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < ${rows - 1})
      INSERT INTO message_signature SELECT key + 10 * value, ${columns.slice(1).join(', ')}
      FROM message_signature, n WHERE key = ${toMessageKey(1, 1)}`)
    assert.equal(day.count('message_signature'), rows + 1)
    assert.equal(day.erase({ domains: [1], keepsCounts: true }).length, steps)
    assert.equal(day.count('message_signature'), 1)
  }
})

describe('messages', () => {
  test('go with their events, which stay counted', () => {
    using day = openDay({ events: 3 }, { events: 3, id: 'one' })
    const keys = [toMessageKey(1, 2), toMessageKey(2, 4)]
    assert.deepEqual(day.step({ messages: keys }), { removed: 4, rows: 6, isDone: true })
    assert.deepEqual(day.left(), [2, 2, 1, 2, 2, 2])
    assert.equal(day.db.number('SELECT sum(count) FROM erased_per_hour'), 4)
    assert.deepEqual(day.step({ messages: keys }), { removed: 0, rows: 0, isDone: true })
  })

  test('are removed in steps: one whose events fill it is left for the next', () => {
    using day = openDay({ events: 500, id: 'one' }, { events: 1 })
    const messages = [toMessageKey(1, 1), toMessageKey(2, 2)]
    assert.deepEqual(day.step({ messages }), { removed: 500, rows: 500, isDone: false })
    assert.deepEqual([day.count('event'), day.count('message')], [1, 2])
    assert.deepEqual(day.step({ messages }), { removed: 1, rows: 3, isDone: true })
  })

  test('one that fits exactly leaves no room for another', () => {
    using day = openDay({ events: 499, id: 'one' }, { events: 1 })
    const messages = [toMessageKey(1, 1), toMessageKey(2, 2)]
    assert.deepEqual(day.step({ messages }), { removed: 499, rows: 500, isDone: false })
    assert.deepEqual([day.count('event'), day.count('message')], [1, 1])
  })
})

test('deleted content is overwritten', () => {
  using day = openDay({ events: 1 })
  day.step({ domains: [1], keepsCounts: true })
  assert.equal(day.db.number('PRAGMA secure_delete'), 1)
})

describe('found to be erased', () => {
  const find = (db: Database, what: 'domains' | 'expired', ...domainNumbers: readonly number[]) =>
    findRows(db, what === 'domains' ? { what, domainNumbers } : { what, domainNumbers, beforeMs: 1 })

  test('are the messages of a recipient, in whatever letter case', () => {
    using day = openDay({ events: 3 }, { events: 2, id: 'one', fields: { recipient: 'Straße@B.test' } })
    assert.deepEqual(findRows(day.db, { what: 'recipient', address: 'U1@B.TEST' }), { messages: [toMessageKey(1, 2)] })
    assert.deepEqual(findRows(day.db, { what: 'recipient', address: 'sTRAßE@b.test' }), {
      messages: [toMessageKey(2, 4)],
    })
    assert.equal(findRows(day.db, { what: 'recipient', address: 'other@b.test' }), undefined)
  })

  test('are the domains that have something: counts only if these are erased, too', () => {
    using day = openDay({ events: 3 }, { events: 2 })
    assert.deepEqual(find(day.db, 'domains', 1, 2, 3), { domains: [1, 2], keepsCounts: false })
    assert.deepEqual(find(day.db, 'expired', 2, 3), { domains: [2], keepsCounts: true })
    assert.equal(find(day.db, 'expired', 3), undefined)
    day.erase({ domains: [1], keepsCounts: true })
    assert.equal(find(day.db, 'expired', 1), undefined)
    assert.deepEqual(find(day.db, 'domains', 1), { domains: [1], keepsCounts: false })
    day.erase({ domains: [1], keepsCounts: false })
    assert.equal(find(day.db, 'domains', 1), undefined)
    assert.deepEqual([hadDomains(day.db, [1]), hadDomains(day.db, [3, 2])], [false, true])
  })

  test('is a day, by its time', () => {
    const endMs = endOfDayMs(DAY)
    const isExpired = (beforeMs: number, fromMs?: number) =>
      concerns({ what: 'expired', domainNumbers: [], beforeMs, ...(fromMs !== undefined && { fromMs }) }, DAY)
    assert.deepEqual(
      [isExpired(endMs - 1), isExpired(endMs), isExpired(endMs, endMs), isExpired(endMs, endMs - 1)],
      [false, true, false, true],
    )
    assert.equal(concerns({ what: 'domains', domainNumbers: [1] }, DAY), true)
    assert.equal(concerns({ what: 'recipient', address: 'a@b.test' }, DAY), true)
  })
})
