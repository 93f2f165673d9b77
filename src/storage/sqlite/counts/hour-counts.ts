/**
 * Counts by hour: from the history index, and of days that it does not know from the hourly counts of their files, in
 * statements of a bounded number of rows; no event is read.
 */
import { EVENT_TYPES } from '../../../events/event.ts'
import { Turn } from '../../../lib/turns/turn.ts'
import {
  type CountGroup,
  concernsSending,
  KIND_SEPARATOR,
  type SeriesFilters,
  type SeriesQuery,
} from '../../../stats/series.ts'
import type { Database, SqlValue } from '../database/database.ts'
import { type Day, dayOfTimestamp, startOfDay } from '../days/day.ts'
import type { DaySummary } from '../days/day-summary.ts'
import { typeNumber } from '../days/stored-codes.ts'
import { countHistory } from '../history/history-counts.ts'
import type { AddCount } from '../history/slot-sums.ts'
import { dayOfNumber } from '../history/span.ts'
import type { DayReaders } from '../reading/day-readers.ts'
import { toLogSearch } from '../reading/log-search.ts'
import { type CountedRow, countSending } from './sending-hours.ts'

const HOURS_PER_DAY = 24
const SECONDS_PER_HOUR = 3600
/** Rows that one statement adds up. A domain has at most as many as events, so small domains are counted together. */
const ROWS_AT_ONCE = 20_000

type PlainGroup = Exclude<CountGroup, `sending_${string}`>

/** Between the parts of a kind. */
const SEPARATOR = `char(${KIND_SEPARATOR.charCodeAt(0)})`

/** The only texts that a group can add to SQL. */
const COLUMN_OF_GROUP: Readonly<Record<PlainGroup, string>> = {
  type: 'h.type',
  provider: 'h.provider',
  classification: 'h.classification',
  domain: 'h.domain',
  kind: `h.type || ${SEPARATOR} || h.provider || ${SEPARATOR} || h.classification`,
}

/** What is counted of a day's file: the range, and which events of it. */
type DayQuery = Pick<SeriesQuery, 'fromHour' | 'toHour' | 'filters'> & {
  readonly group: PlainGroup
  readonly domainNumbers: readonly number[]
}

/** Parts of the counts, each to be added up by the caller: a copy of many counts takes as long as counting. Hours since 1970. */
export async function* listHourCounts(
  readers: DayReaders,
  query: SeriesQuery,
): AsyncGenerator<(add: AddCount) => void> {
  const { group } = query
  if (concernsSending(query) || !isPlain(group)) return yield* listSendingCounts(readers, query)
  const turn = new Turn()
  // Decided at once: a day that is summarized, or written to, meanwhile must not be counted twice or not at all.
  const { live, known, reading } = readers.split(toDay(query.fromHour), toDay(query.toHour - 1))
  const files: { readonly day: Day; readonly domains: readonly number[] }[] = []
  for (const counts of countHistory(reading, known, query)) {
    if ('addTo' in counts) yield counts.addTo
    else files.push({ day: dayOfNumber(counts.day), domains: counts.domains })
    await turn.share()
  }
  for (const day of live) files.push({ day, domains: query.domainNumbers })
  for (const { day, domains } of files) {
    using lease = readers.lease(day)
    if (!lease) continue
    const firstHour = startOfDay(day) / SECONDS_PER_HOUR
    for (const rows of countDay(lease.reader.db, lease.reader.summary, firstHour, {
      ...query,
      group,
      domainNumbers: domains,
    })) {
      yield (add) => {
        for (const [hour, key, count] of rows) add(firstHour + hour, key, count)
      }
      await turn.share()
    }
    await turn.share()
  }
}

/** The same of events whose origin is known; days without events of the domains are not opened. */
async function* listSendingCounts(readers: DayReaders, query: SeriesQuery): AsyncGenerator<(add: AddCount) => void> {
  const turn = new Turn()
  const { domainNumbers, fromHour, toHour } = query
  const all = toLogSearch({})
  for (const day of readers.candidates(domainNumbers, all, toDay(fromHour), toDay(toHour - 1))) {
    using lease = day === undefined ? undefined : readers.lease(day)
    if (day !== undefined && lease) {
      const firstHour = startOfDay(day) / SECONDS_PER_HOUR
      for (const rows of countSending(lease.reader.db, lease.reader.summary, hoursOf(firstHour, query), query)) {
        yield (add) => {
          for (const [hour, key, count] of rows) add(firstHour + hour, key, count)
        }
        await turn.share()
      }
    }
    await turn.share()
  }
}

function isPlain(group: CountGroup): group is PlainGroup {
  return !group.startsWith('sending_')
}

function toDay(hour: number): Day {
  return dayOfTimestamp(Math.max(0, hour) * SECONDS_PER_HOUR)
}

function* countDay(db: Database, summary: DaySummary, firstHour: number, query: DayQuery): Generator<CountedRow[]> {
  const hours = hoursOf(firstHour, query)
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

function hoursOf(firstHour: number, { fromHour, toHour }: Pick<SeriesQuery, 'fromHour' | 'toHour'>): Hours {
  return [Math.max(0, fromHour - firstHour), Math.min(HOURS_PER_DAY, toHour - firstHour)]
}

function countDomains(db: Database, domains: readonly number[], hours: Hours, query: DayQuery): CountedRow[] {
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
function* countLargeDomain(db: Database, domain: number, [from, to]: Hours, query: DayQuery): Generator<CountedRow[]> {
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

/** A key of a row as a text. */
export function toKey(group: CountGroup, key: number | string): string {
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
