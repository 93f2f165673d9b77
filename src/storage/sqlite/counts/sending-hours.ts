/**
 * Counts by hour of events whose origin is known, from the files of the days, in statements of a bounded number of rows. The
 * history index does not have them.
 */
import { OTHER_ORIGINS } from '../../../events/event.ts'
import { type CountGroup, KIND_SEPARATOR, type SeriesQuery } from '../../../stats/series.ts'
import type { Database, SqlValue } from '../database/database.ts'
import { OTHER_ORIGINS_KEY } from '../days/counted-origins.ts'
import type { DaySummary } from '../days/day-summary.ts'
import { typeNumber } from '../days/stored-codes.ts'

/** Rows that one statement adds up. A domain has at most as many as events, so small domains are counted together. */
const ROWS_AT_ONCE = 20_000

const part = (column: string) =>
  `iif(h.origin = ${OTHER_ORIGINS_KEY}, '${OTHER_ORIGINS}', (SELECT ${column} FROM origin WHERE key = h.origin))`

const SEPARATOR = `char(${KIND_SEPARATOR.charCodeAt(0)})`

/** The only texts that a group can add to SQL. Counts by origin have no classification. */
const COLUMN_OF_GROUP: Readonly<Record<Exclude<CountGroup, 'classification' | 'kind'>, string>> = {
  type: 'h.type',
  provider: 'h.provider',
  domain: 'h.domain',
  sending_address: part('address'),
  sending_source: part('source'),
  sending_pool: part('pool'),
  sending_kind: `h.type || ${SEPARATOR} || ${part('address')} || ${SEPARATOR}`,
}

export type CountedRow = [hour: number, key: number | string, count: number]

type SendingQuery = Pick<SeriesQuery, 'filters' | 'group'> & { readonly domainNumbers: readonly number[] }
type Key = [origin: number, hour: number, type: number, provider: string]

const KEY = '(h.origin, h.hour, h.type, h.provider)'
const FIRST_KEY: Key = [-1, 0, 0, '']

/** `hours`: of the day, from inclusive, to exclusive. */
export function* countSending(
  db: Database,
  summary: DaySummary,
  hours: readonly [from: number, to: number],
  query: SendingQuery,
): Generator<CountedRow[]> {
  const wanted = toConditions(hours, query.filters)
  const column = query.group === 'classification' || query.group === 'kind' ? `''` : COLUMN_OF_GROUP[query.group]
  const count = (from: string, values: readonly SqlValue[]) =>
    db.allArrays<CountedRow>(
      `SELECT h.hour, ${column}, sum(h.count) FROM ${from} AND ${wanted.sql} GROUP BY 1, 2`,
      ...values,
      ...wanted.values,
    )
  const countGroup = (domains: readonly number[]) =>
    count('json_each(?) d CROSS JOIN sending_per_hour h ON h.domain = d.value WHERE TRUE', [JSON.stringify(domains)])
  const group: number[] = []
  let rows = 0
  for (const domain of query.domainNumbers) {
    const events = summary.count(domain)
    if (events === 0) continue
    if (events > ROWS_AT_ONCE) {
      for (const [after, end] of listParts(db, domain)) {
        const range = end ? `AND ${KEY} <= (?, ?, ?, ?)` : ''
        const from = `sending_per_hour h WHERE h.domain = ? AND ${KEY} > (?, ?, ?, ?) ${range}`
        yield count(from, [domain, ...after, ...(end ?? [])])
      }
      continue
    }
    if (rows + events > ROWS_AT_ONCE) yield countGroup(group.splice(0))
    rows = group.length === 0 ? events : rows + events
    group.push(domain)
  }
  if (group.length > 0) yield countGroup(group)
}

/** The counts of a large domain in parts: after which key each begins, and with which it ends. */
function* listParts(db: Database, domain: number): Generator<[after: Key, end: Key | undefined]> {
  for (let after = FIRST_KEY; ; ) {
    const end = db.allArrays<Key>(
      `SELECT h.origin, h.hour, h.type, h.provider FROM sending_per_hour h
       WHERE h.domain = ? AND ${KEY} > (?, ?, ?, ?)
       ORDER BY h.origin, h.hour, h.type, h.provider LIMIT 1 OFFSET ${ROWS_AT_ONCE - 1}`,
      domain,
      ...after,
    )[0]
    yield [after, end]
    if (!end) return
    after = end
  }
}

function toConditions([from, to]: readonly [number, number], filters: SeriesQuery['filters']) {
  const { types, providers, sendingAddresses, sendingSources, sendingPools } = filters
  const tests: [string, readonly SqlValue[] | undefined][] = [
    ['h.type', types?.map(typeNumber)],
    ['h.provider', providers],
    ['(SELECT address FROM origin WHERE key = h.origin)', sendingAddresses],
    ['(SELECT source FROM origin WHERE key = h.origin)', sendingSources],
    ['(SELECT pool FROM origin WHERE key = h.origin)', sendingPools],
  ]
  const given = tests.filter(([, values]) => values !== undefined)
  return {
    sql: [
      'h.hour >= ? AND h.hour < ?',
      ...given.map(([column]) => `${column} IN (SELECT value FROM json_each(?))`),
    ].join(' AND '),
    values: [from, to, ...given.map(([, values]) => JSON.stringify(values))],
  }
}
