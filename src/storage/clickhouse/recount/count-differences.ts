/** Compares the counts of a day with its events, inside ClickHouse: only what differs leaves it. */
import { EVENT_TYPES } from '../../../events/event.ts'
import { FIRST_RESERVED_DOMAIN } from '../erasing/placeholders.ts'
import { numberSet } from '../literals.ts'
import type { ClickHouse } from '../server/clickhouse.ts'
import { inDay, inHoursOf } from '../upkeep/day.ts'
import { readGroups } from './read-groups.ts'

export type CountTable = 'event_hour' | 'sending_hour'

/** Domains, and keys of a domain, that are read at a time. */
const DOMAINS_MAX = 1000
const KEYS_MAX = 1000

/** A domain of which some count is not that of its events. */
export interface WrongDomain {
  readonly domain: number
  /** How many more events are counted than there are. */
  readonly surplus: number
  /** Whether some key is counted too low. */
  readonly isTooLow: boolean
}

/** A count, and the events that it should be the number of. */
export interface WrongCount {
  readonly domain: number
  readonly hour: number
  readonly type: number
  readonly provider: string
  /** Absent in counts by origin, and the other way round. */
  readonly classification?: string
  readonly origin?: string
  readonly counted: number
  readonly events: number
}

const KEYS: Readonly<Record<CountTable, string>> = {
  event_hour: 'domain, hour, type, provider, classification',
  sending_hour: 'domain, hour, type, provider, origin',
}

/** At most a thousand, in order. `of`: only these; otherwise all after the given one. */
export async function listWrongDomains(
  clickHouse: ClickHouse,
  table: CountTable,
  day: string,
  which: { readonly of: readonly number[] } | { readonly after: number },
): Promise<readonly WrongDomain[]> {
  const condition = 'of' in which ? `domain IN ${numberSet('UInt32', which.of)}` : `domain > ${which.after}`
  const rows = await readGroups(
    clickHouse,
    `SELECT domain, sum(counted - events), max(events > counted)
     FROM (${compare(clickHouse, table, day, condition)}) WHERE events != counted
     GROUP BY domain ORDER BY domain LIMIT ${DOMAINS_MAX}`,
  )
  return rows.map(([domain, surplus, isTooLow]) => ({
    domain: Number(domain),
    surplus: Number(surplus),
    isTooLow: isTooLow === '1',
  }))
}

export async function listWrongCounts(
  clickHouse: ClickHouse,
  table: CountTable,
  day: string,
  domain: number,
): Promise<readonly WrongCount[]> {
  const rows = await readGroups(
    clickHouse,
    `SELECT ${KEYS[table]}, counted, events FROM (${compare(clickHouse, table, day, `domain = ${domain}`)})
     WHERE events != counted ORDER BY ${KEYS[table]} LIMIT ${KEYS_MAX}`,
  )
  return rows.map(([, hour, type, provider = '', last = '', counted, events]) => ({
    domain,
    hour: Number(hour),
    type: Number(type),
    provider,
    ...(table === 'event_hour' ? { classification: last } : { origin: last }),
    counted: Number(counted),
    events: Number(events),
  }))
}

export function describeCount(day: string, { domain, hour, origin, type, counted, events }: WrongCount): string {
  const ofOrigin = origin === undefined ? '' : `, origin ${origin === '' ? '(others)' : JSON.stringify(origin)}`
  return `${day}: domain ${domain}, hour ${hour % 24}${ofOrigin}, ${EVENT_TYPES[type]}: counter ${counted}, events ${events}`
}

/** SQL: each key with what is counted and the number of its events. */
function compare(clickHouse: ClickHouse, table: CountTable, day: string, condition: string): string {
  const [events, counts] = [clickHouse.readFrom('event'), clickHouse.readFrom(table)]
  const wanted = `domain < ${FIRST_RESERVED_DOMAIN} AND ${condition}`
  // An origin that has a count is one that is counted by itself.
  const origin = `if((domain, origin) GLOBAL IN (
    SELECT domain, origin FROM ${counts} WHERE ${inHoursOf(day)} AND ${wanted}), origin, '') AS origin`
  const keys = KEYS[table]
  const found = keys.replace('hour', 'toUInt32(intDiv(timestamp, 3600)) AS hour')
  const ofEvents =
    table === 'event_hour'
      ? `SELECT ${found} FROM ${events} WHERE ${inDay('timestamp', day)} AND ${wanted}`
      : `SELECT ${found.replace('origin', origin)} FROM ${events}
         WHERE ${inDay('timestamp', day)} AND ${wanted} AND notEmpty(origin)`
  return `
    SELECT ${keys}, sum(n) AS counted, sum(e) AS events FROM (
      SELECT ${keys}, toInt64(0) AS n, toInt64(count()) AS e FROM (${ofEvents}) GROUP BY ${keys}
      UNION ALL
      SELECT ${keys}, sum(n) AS n, toInt64(0) AS e FROM ${counts} WHERE ${inHoursOf(day)} AND ${wanted} GROUP BY ${keys}
    ) GROUP BY ${keys}`
}
