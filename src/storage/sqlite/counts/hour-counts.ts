/** Counts by hour from the hourly counts of the day files; no event is looked at. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { EVENT_TYPES } from '../../../events/event.ts'
import type { HourCount, SeriesFilters, SeriesGroup, SeriesQuery } from '../../../stats/series.ts'
import type { Database, SqlValue } from '../database/database.ts'
import { startOfDay } from '../days/day.ts'
import type { DayReaders } from '../reading/day-readers.ts'
import { typeNumber } from '../writing/event-row.ts'

const HOURS_PER_DAY = 24
const SECONDS_PER_HOUR = 3600

/** The only text that a group can bring into SQL. */
const COLUMN_OF_GROUP: Readonly<Record<SeriesGroup, string>> = {
  type: 'h.type',
  provider: 'h.provider',
  classification: 'h.classification',
  domain: 'h.domain',
}

/** Day by day, each a turn on the thread of its own. */
export async function* listHourCounts(readers: DayReaders, query: SeriesQuery): AsyncGenerator<readonly HourCount[]> {
  for (const day of readers.days()) {
    const firstHour = startOfDay(day) / SECONDS_PER_HOUR
    if (firstHour >= query.toHour || firstHour + HOURS_PER_DAY <= query.fromHour) continue
    using lease = readers.lease(day)
    if (!lease) continue
    yield countDay(lease.reader.database, firstHour, query)
    await nextTurn()
  }
}

function countDay(db: Database, firstHour: number, query: SeriesQuery): readonly HourCount[] {
  const { sql, values } = toConditions(query.filters)
  const rows = db.allArrays<[number, number | string, number]>(
    `SELECT h.hour, ${COLUMN_OF_GROUP[query.group]}, sum(h.count)
     FROM json_each(?) d CROSS JOIN event_per_hour h ON h.domain = d.value
     WHERE h.hour >= ? AND h.hour < ? ${sql} GROUP BY 1, 2`,
    JSON.stringify(query.domainNumbers),
    query.fromHour - firstHour,
    query.toHour - firstHour,
    ...values,
  )
  return rows.map(([hour, key, count]) => ({ hour: firstHour + hour, key: toKey(query.group, key), count }))
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
