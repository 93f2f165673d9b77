import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Database } from '../database/database.ts'
import { runMigrations } from '../database/run-migrations.ts'
import { DAY_MIGRATIONS } from '../days/day-files.ts'
import type { DaySummary } from '../days/day-summary.ts'
import { countSending } from './sending-hours.ts'

/** Rows of a statement, at most. */
const AT_ONCE = 20_000
/** By domain: two that are counted in parts, three that are counted together as far as there is room, and one without any. */
const ROWS = [45_000, 20_001, 12_000, 9000, 8000, 0]
const DOMAINS = [...ROWS.keys()]

/** A row for each provider, evenly in all hours of the day; each counts three events. */
function openDay(): Database {
  const db = new Database(':memory:')
  runMigrations(db, DAY_MIGRATIONS)
  db.execute("INSERT INTO origin VALUES (1, '192.0.2.1', '', ''), (2, '192.0.2.2', '', '')")
  for (const [domain, rows] of ROWS.entries()) {
    db.execute(`WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < ${rows})
      INSERT INTO sending_per_hour SELECT ${domain}, 1 + value % 2, value % 24, 0, 'provider ' || value, 3 FROM n WHERE ${rows} > 0`)
  }
  return db
}

function countAll(db: Database, hours: readonly [number, number]) {
  const summary = { count: (domain: number) => ROWS[domain] ?? 0 } as DaySummary
  const filters = {}
  return [...countSending(db, summary, hours, { filters, group: 'domain', domainNumbers: DOMAINS })]
}

test('each row is counted once, whether a domain has more rows than a statement adds up, or shares it with others', () => {
  using db = openDay()
  const found = new Map<unknown, number>()
  for (const [, domain, count] of countAll(db, [0, 24]).flat()) found.set(domain, (found.get(domain) ?? 0) + count)
  assert.deepEqual(
    DOMAINS.map((domain) => found.get(domain) ?? 0),
    ROWS.map((rows) => 3 * rows),
  )
})

test('no statement adds up more rows than it may', () => {
  using db = openDay()
  const sums = countAll(db, [0, 24]).map((rows) => rows.reduce((sum, [, , count]) => sum + count, 0) / 3)
  assert.deepEqual(sums, [AT_ONCE, AT_ONCE, 5000, AT_ONCE, 1, 12_000, 17_000])
})

test('only the hours that are asked for are counted', () => {
  using db = openDay()
  const hours = new Set(countAll(db, [5, 7]).flatMap((rows) => rows.map(([hour]) => hour)))
  assert.deepEqual(hours, new Set([5, 6]))
})
