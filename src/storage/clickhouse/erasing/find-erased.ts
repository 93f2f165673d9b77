/** Which events of a day an erasure concerns, as a condition that stays the same whatever is stored later. */
import type { Erasure } from '../../../events/log/event-log.ts'
import { foldCase } from '../../../lib/text/case-folding.ts'
import { literal } from '../literals.ts'
import type { ClickHouse } from '../server/clickhouse.ts'
import { dayAfter, inDay, startOf } from '../upkeep/day.ts'

/** Named one by one in one statement. */
const EVENTS_AT_ONCE = 2000
const DOMAINS_AT_ONCE = 1000
/** A day of a busy installation is read as a whole. */
const READ_BUDGET_MS = 600_000
/** For lists of many domains. */
export const LONG_QUERY = { max_query_size: 1 << 24 } as const

export interface FoundEvents {
  /** By domain. */
  readonly counts: ReadonlyMap<number, number>
  /** SQL. It has numbers only: ClickHouse and ZooKeeper keep it for a while. */
  readonly where: string
  /** Whether these are all of the day. */
  readonly isAll: boolean
}

/** Whether the erasure may concern events of the day. */
export function concerns(erasure: Erasure, day: string): boolean {
  if (erasure.what !== 'expired') return true
  const endMs = startOf(dayAfter(day)) * 1000
  return endMs <= erasure.beforeMs && endMs > (erasure.fromMs ?? 0)
}

/**
 * Undefined if there are none. `before`: only events with a lower arrival number. Those of a batch that is not finished must stay: it is
 * finished by whoever finds all of its events.
 */
export async function findErased(
  clickHouse: ClickHouse,
  erasure: Erasure,
  day: string,
  before: number,
): Promise<FoundEvents | undefined> {
  const within = `${inDay('timestamp', day)} AND arrival < ${before}`
  const found =
    erasure.what === 'recipient'
      ? await findRecipient(clickHouse, erasure.address, within)
      : await findDomains(clickHouse, erasure.domainNumbers, within)
  return found.counts.size === 0 ? undefined : found
}

async function findRecipient(clickHouse: ClickHouse, address: string, within: string): Promise<FoundEvents> {
  const folded = "if(recipient_folded = '', lower(recipient), recipient_folded)"
  const rows = await clickHouse.select(
    `SELECT domain, arrival FROM ${clickHouse.readFrom('event')}
     WHERE ${within} AND ${folded} = ${literal(foldCase(address))} LIMIT ${EVENTS_AT_ONCE}`,
    { mustBeStrict: true, budgetMs: READ_BUDGET_MS },
  )
  const counts = new Map<number, number>()
  for (const [domain] of rows) counts.set(Number(domain), (counts.get(Number(domain)) ?? 0) + 1)
  const arrivals = rows.map(([, arrival]) => arrival).join(', ')
  const where = `domain IN (${[...counts.keys()].join(', ')}) AND ${within} AND arrival IN (${arrivals})`
  return { counts, where, isAll: rows.length < EVENTS_AT_ONCE }
}

/** Up to the newest event of each domain: one that is stored after it was counted stays for the next time. */
async function findDomains(
  clickHouse: ClickHouse,
  domainNumbers: readonly number[],
  within: string,
): Promise<FoundEvents> {
  const rows = await clickHouse.select(
    `SELECT domain, count(), max(arrival) FROM ${clickHouse.readFrom('event')}
     WHERE domain IN (${domainNumbers.join(', ')}) AND ${within}
     GROUP BY domain ORDER BY domain LIMIT ${DOMAINS_AT_ONCE}`,
    { mustBeStrict: true, budgetMs: READ_BUDGET_MS, settings: LONG_QUERY },
  )
  const domains = rows.map(([domain]) => domain).join(', ')
  const newest = rows.map(([, , arrival]) => `toUInt64(${arrival})`).join(', ')
  return {
    counts: new Map(rows.map(([domain, events]) => [Number(domain), Number(events)])),
    where: `domain IN (${domains}) AND ${within} AND arrival <= transform(domain, [${domains}], [${newest}], toUInt64(0))`,
    isAll: rows.length < DOMAINS_AT_ONCE,
  }
}
