/** Counts by hour from the hourly counts of the day files, in statements of a bounded number of rows; no event is read. */
import { EVENT_TYPES } from '../../../events/event.ts'
import { Turn } from '../../../lib/turns/turn.ts'
import type { HourCount, SeriesFilters, SeriesGroup, SeriesQuery } from '../../../stats/series.ts'
import type { Database, SqlValue } from '../database/database.ts'
import { startOfDay } from '../days/day.ts'
import type { DaySummary } from '../days/day-summary.ts'
import { typeNumber } from '../days/stored-codes.ts'
import type { DayReaders } from '../reading/day-readers.ts'

const HOURS_PER_DAY = 24
const SECONDS_PER_HOUR = 3600
/** Rows that one statement adds up. A domain has at most as many as events, so small domains are counted together. */
const ROWS_AT_ONCE = 20_000

/** The only texts that a group can add to SQL. */
const COLUMN_OF_GROUP: Readonly<Record<SeriesGroup, string>> = {
  type: 'h.type',
  provider: 'h.provider',
  classification: 'h.classification',
  domain: 'h.domain',
}

type CountedRow = [hour: number, key: number | string, count: number]

export async function* listHourCounts(readers: DayReaders, query: SeriesQuery): AsyncGenerator<readonly HourCount[]> {
  const turn = new Turn()
  for (const day of readers.days) {
    const firstHour = startOfDay(day) / SECONDS_PER_HOUR
    if (firstHour >= query.toHour || firstHour + HOURS_PER_DAY <= query.fromHour) continue
    using lease = readers.lease(day)
    if (!lease) continue
    for (const rows of countDay(lease.reader.db, lease.reader.summary, firstHour, query)) {
      yield rows.map(([hour, key, count]) => ({ hour: firstHour + hour, key: toKey(query.group, key), count }))
      await turn.share()
    }
    await turn.share()
  }
}

function* countDay(db: Database, summary: DaySummary, firstHour: number, query: SeriesQuery): Generator<CountedRow[]> {
  const hours = [Math.max(0, query.fromHour - firstHour), Math.min(HOURS_PER_DAY, query.toHour - firstHour)] as const
  const group: number[] = []
  let rows = 0
  for (const domain of query.domainNumbers) {
    const events = summary.count(domain)
    if (events === 0) continue
    if (events > ROWS_AT_ONCE) {
      yield* countLargeDomain(db, domain, hours, query)
      continue
    }
    if (rows + events > ROWS_AT_ONCE) yield countDomains(db, group.splice(0), hours, query)
    rows = group.length === 0 ? events : rows + events
    group.push(domain)
  }
  if (group.length > 0) yield countDomains(db, group, hours, query)
}

type Hours = readonly [from: number, to: number]

function countDomains(db: Database, domains: readonly number[], hours: Hours, query: SeriesQuery): CountedRow[] {
  const { sql, values } = toConditions(query.filters)
  return db.allArrays<CountedRow>(
    `SELECT h.hour, ${COLUMN_OF_GROUP[query.group]}, sum(h.count)
     FROM json_each(?) d CROSS JOIN event_per_hour h ON h.domain = d.value
     WHERE h.hour >= ? AND h.hour < ? ${sql} GROUP BY 1, 2`,
    JSON.stringify(domains),
    ...hours,
    ...values,
  )
}

const KEY = '(h.hour, h.type, h.provider, h.classification)'
type Key = [hour: number, type: number, provider: string, classification: string]

/** Providers and classes are what senders write: a domain may have very many of them in an hour. */
function* countLargeDomain(
  db: Database,
  domain: number,
  [from, to]: Hours,
  query: SeriesQuery,
): Generator<CountedRow[]> {
  const { sql, values } = toConditions(query.filters)
  let after: Key = [from, -1, '', '']
  for (;;) {
    const end = db.allArrays<Key>(
      `SELECT h.hour, h.type, h.provider, h.classification FROM event_per_hour h
       WHERE h.domain = ? AND ${KEY} > (?, ?, ?, ?) AND h.hour < ?
       ORDER BY h.hour, h.type, h.provider, h.classification LIMIT 1 OFFSET ${ROWS_AT_ONCE - 1}`,
      domain,
      ...after,
      to,
    )[0]
    yield db.allArrays<CountedRow>(
      `SELECT h.hour, ${COLUMN_OF_GROUP[query.group]}, sum(h.count) FROM event_per_hour h
       WHERE h.domain = ? AND ${KEY} > (?, ?, ?, ?) AND ${KEY} <= (?, ?, ?, ?) ${sql} GROUP BY 1, 2`,
      domain,
      ...after,
      ...(end ?? [to, -1, '', '']),
      ...values,
    )
    if (!end) return
    after = end
  }
}

function toKey(group: SeriesGroup, key: number | string): string {
  return group === 'type' ? (EVENT_TYPES[Number(key)] ?? '') : String(key)
}

function toConditions({ types, providers, classifications }: SeriesFilters): { sql: string; values: SqlValue[] } {
  const tests: [string, readonly SqlValue[] | undefined][] = [
    ['h.type', types?.map(typeNumber)],
    ['h.provider', providers],
    ['h.classification', classifications],
  ]
  const given = tests.filter(([, values]) => values !== undefined)
  return {
    sql: given.map(([column]) => `AND ${column} IN (SELECT value FROM json_each(?))`).join(' '),
    values: given.map(([, values]) => JSON.stringify(values)),
  }
}
