/** Which days a search opens: all that may have matches, and no others. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { EVENT_TYPES } from '../../../events/event.ts'
import type { LogFilters } from '../../../events/log/log-query.ts'
import { Database } from '../database/database.ts'
import { toLogSearch } from '../reading/log-search.ts'
import { findFirst, searchHistory } from './history-search.ts'
import { hashForHistory, idKey } from './id-key.ts'
import { packCounts } from './packed-counts.ts'
import { numberOfDay, SPAN_DAYS, slotOf, spanOf } from './span.ts'

const [A, B] = [EVENT_TYPES[0], EVENT_TYPES[1]] as const
/** The first day of a span. */
const SPAN = 300 * SPAN_DAYS

/** An index that knows these events: day, domain, type and message id. */
function openIndex(
  folder: string,
  events: readonly (readonly [day: number, domain: number, type: number, id?: string])[],
) {
  const db = new Database(join(folder, 'x.db'))
  db.execute(`CREATE TABLE message_id (key INTEGER PRIMARY KEY);
    CREATE TABLE domain_span (span INTEGER, domain INTEGER, counts BLOB, PRIMARY KEY (span, domain)) WITHOUT ROWID`)
  for (const own of Map.groupBy(events, ([day, domain]) => `${spanOf(day)} ${domain}`).values()) {
    const [day, domain] = own[0] ?? [0, 0]
    const counts = own.map(([at, , type]) => ({ slot: slotOf(at), type, provider: '', classification: '', count: 1 }))
    db.run('INSERT INTO domain_span VALUES (?, ?, ?)', spanOf(day), domain, packCounts(counts))
  }
  for (const [day, , , id] of events)
    if (id) db.run('INSERT OR IGNORE INTO message_id VALUES (?)', idKey(hashForHistory(id), day))
  return db
}

interface Asked {
  readonly known: readonly number[]
  readonly domains: readonly number[]
  readonly filters?: LogFilters
  readonly ruledOut?: readonly number[]
}

/** Days, and the number of statements. */
function search(db: Database, { known, domains, filters = {}, ruledOut = [] }: Asked) {
  let statements = 0
  const reading = {
    read<T>(work: (own: Database) => T): T {
      statements++
      return work(db)
    },
  }
  const isRuledOut = (day: string) => ruledOut.includes(numberOfDay(day))
  const found = [...searchHistory(reading, known, domains, toLogSearch(filters), isRuledOut)]
  const days = found.flatMap((day) => (day === undefined ? [] : [numberOfDay(day)]))
  return { days, statements, turns: found.length - days.length }
}

test('days on which one of few domains has one of the types, newest first, by one statement for each span', () => {
  using folder = openTemporaryFolder()
  using db = openIndex(folder.path, [
    [SPAN + SPAN_DAYS, 1, 0],
    [SPAN + 63, 1, 1],
    [SPAN + 63, 2, 0],
    [SPAN + 5, 2, 1],
    [SPAN, 1, 0],
    [SPAN - 1, 1, 0],
  ])
  const known = [SPAN + SPAN_DAYS, SPAN + 63, SPAN + 6, SPAN + 5, SPAN, SPAN - 1]
  const ask = (domains: readonly number[], filters?: LogFilters, days = known) =>
    search(db, { known: days, domains, ...(filters && { filters }) })
  assert.deepEqual(ask([1]), { days: [SPAN + SPAN_DAYS, SPAN + 63, SPAN, SPAN - 1], statements: 3, turns: 3 })
  assert.deepEqual(ask([2]).days, [SPAN + 63, SPAN + 5])
  assert.deepEqual(
    ask([1, 2]).days,
    known.filter((day) => day !== SPAN + 6),
  )
  assert.deepEqual(ask([1], { types: [A] }).days, [SPAN + SPAN_DAYS, SPAN, SPAN - 1])
  assert.deepEqual(ask([1, 2], { types: [B] }).days, [SPAN + 63, SPAN + 5])
  assert.deepEqual(ask([3]).days, [])
  // Days that the caller does not know are not named, and spans without any are not read.
  assert.deepEqual(ask([1], {}, [SPAN + 63, SPAN + 62]), { days: [SPAN + 63], statements: 1, turns: 1 })
  assert.deepEqual(ask([1], {}, []), { days: [], statements: 0, turns: 0 })
})

test('days of a message id, of any number of domains; one that is nowhere costs one statement', () => {
  using folder = openTemporaryFolder()
  using db = openIndex(folder.path, [
    [SPAN + SPAN_DAYS, 1, 0, 'other'],
    [SPAN + 3, 1, 0, 'wanted'],
    [SPAN + 2, 2, 0, 'wanted'],
    [SPAN + 1, 1, 0, 'other'],
  ])
  const known = [SPAN + SPAN_DAYS, SPAN + 3, SPAN + 2, SPAN + 1]
  const ask = (domains: readonly number[], messageId: string) => search(db, { known, domains, filters: { messageId } })
  assert.deepEqual(ask([1], 'wanted'), { days: [SPAN + 3], statements: 2, turns: 1 })
  assert.deepEqual(ask([1], 'other').days, [SPAN + SPAN_DAYS, SPAN + 1])
  assert.deepEqual(ask([1, 2], 'wanted').days, [SPAN + 3, SPAN + 2])
  assert.deepEqual(
    ask(
      Array.from({ length: 300 }, (_, index) => index),
      'wanted',
    ),
    {
      days: [SPAN + 3, SPAN + 2],
      statements: 3,
      turns: 2,
    },
  )
  assert.deepEqual(ask([1], 'nowhere'), { days: [], statements: 1, turns: 0 })
})

test('for many domains the index is read only after eight days without a match', () => {
  using folder = openTemporaryFolder()
  using db = openIndex(folder.path, [[SPAN, 1, 0]])
  const days = Array.from({ length: 30 }, (_, index) => SPAN + 29 - index)
  const many = Array.from({ length: 21 }, (_, index) => index + 1)
  const ask = (ruledOut: readonly number[], domains = many) => search(db, { known: days, domains, ruledOut })
  assert.deepEqual(ask([]), { days, statements: 0, turns: 0 })
  // Seven, then one that may have matches, then seven again.
  const seven = days.slice(0, 7)
  assert.deepEqual(ask([...seven, ...days.slice(8, 15)]), {
    days: [days[7], ...days.slice(15)],
    statements: 0,
    turns: 0,
  })
  assert.deepEqual(ask(days.slice(0, 8)), { days: [SPAN], statements: 1, turns: 1 })
  assert.deepEqual(ask([], many.slice(1)), { days: [], statements: 1, turns: 1 }, 'few domains: at once')
})

test('after a span with matches, days are taken from memory again', () => {
  using folder = openTemporaryFolder()
  using db = openIndex(folder.path, [
    [SPAN, 1, 0],
    [SPAN - 3 * SPAN_DAYS, 1, 0],
  ])
  const many = Array.from({ length: 21 }, (_, index) => index + 1)
  const first = Array.from({ length: 9 }, (_, index) => SPAN + 8 - index)
  const later = [SPAN - 1, SPAN - 2]
  const asked = { known: [...first, ...later], domains: many, ruledOut: first.slice(0, 8) }
  assert.deepEqual(search(db, asked), { days: [SPAN, ...later], statements: 1, turns: 1 })
  // Without a match in the span, the next one is looked up too.
  const empty = first.map((day) => day - SPAN_DAYS)
  const others = { known: [...empty, SPAN - 3 * SPAN_DAYS], domains: many, ruledOut: empty }
  assert.deepEqual(search(db, others), { days: [SPAN - 3 * SPAN_DAYS], statements: 2, turns: 2 })
})

test('the first that is at most a limit, in a list that descends', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(50)), fc.nat(51), (numbers, limit) => {
      const descending = numbers.toSorted((a, b) => b - a)
      const index = descending.findIndex((number) => number <= limit)
      assert.equal(findFirst(descending, limit), index < 0 ? numbers.length : index)
    }),
  )
})
