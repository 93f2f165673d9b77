/** Counts of domains since they were added: what ClickHouse has by hour, and what was removed from it before. */
import { EVENT_TYPES, type EventType } from '../../../events/event.ts'
import { COUNTER_OF_TYPE, type DomainCounts } from '../../../stats/domain-counts.ts'
import { literal, literalList, numberSet } from '../literals.ts'
import type { ClickHouse, ReadSource } from '../server/clickhouse.ts'

/** Totals of removed days. */
export interface RemovedTotals {
  /** `count` adds up what ClickHouse has from this hour on; it is called again if a day was removed meanwhile. */
  readWith<Counted>(
    domainNumbers: readonly number[],
    count: (fromHour: number) => Promise<Counted>,
  ): Promise<{
    readonly totals: readonly { readonly domain: number; readonly type: EventType; readonly count: number }[]
    readonly counted: Counted
  }>
}

const COUNTED_TYPES = EVENT_TYPES.flatMap((type, number) => (COUNTER_OF_TYPE[type] === undefined ? [] : [number]))
/** Instead of a type, in rows with the time of the last change. */
const CHANGE = '-1'
/** Domains of one statement. */
const DOMAINS_AT_ONCE = 20_000

/** Domains without counted events are absent. */
export async function countDomains(
  clickHouse: ClickHouse,
  totals: RemovedTotals,
  domainNumbers: readonly number[],
): Promise<ReadonlyMap<number, DomainCounts>> {
  const found = new Map<number, DomainCounts>()
  for (let at = 0; at < domainNumbers.length; at += DOMAINS_AT_ONCE) {
    const domains = domainNumbers.slice(at, at + DOMAINS_AT_ONCE)
    for (const [domain, counts] of await countSome(clickHouse, totals, domains)) found.set(domain, counts)
  }
  return found
}

/** Counts by domain and type, and when they last changed: one statement, because each costs more than what it counts. */
function countStatement({ from, isThere }: ReadSource, domains: readonly number[], fromHour: number): string {
  const where = `WHERE domain IN ${numberSet('UInt32', domains)}`
  // It fails for both, and takes a part of the time.
  return `SELECT domain, toInt16(type) AS counter, toInt64(sum(n)) AS value FROM ${from('event_hour')}
      ${where} AND ${isThere} AND hour >= ${literal(fromHour)} AND type IN ${literalList(COUNTED_TYPES)} GROUP BY domain, type
    UNION ALL SELECT domain, toInt16(${CHANGE}) AS counter, toInt64(max(changed_at_ms)) AS value FROM ${from('domain_change')}
      ${where} GROUP BY domain`
}

async function countSome(
  clickHouse: ClickHouse,
  removed: RemovedTotals,
  domains: readonly number[],
): Promise<ReadonlyMap<number, DomainCounts>> {
  const { totals, counted } = await removed.readWith(domains, async (fromHour) => {
    const parts = clickHouse
      .divide(domains)
      .map((some) => clickHouse.selectOf(some, (source) => countStatement(source, some, fromHour)))
    return (await Promise.all(parts)).flat()
  })
  const isChange = (row: readonly string[]) => row[1] === CHANGE
  const changedAtMs = new Map(counted.filter(isChange).map(([domain, , time]) => [Number(domain), Number(time)]))
  const found = new Map<number, DomainCounts>()
  for (const [domain, type, count] of counted) add(Number(domain), EVENT_TYPES[Number(type)], Number(count))
  for (const { domain, type, count } of totals) add(domain, type, count)
  return found

  function add(domain: number, type: EventType | undefined, count: number): void {
    const counter = type && COUNTER_OF_TYPE[type]
    if (!counter || count === 0) return
    const counts = found.get(domain) ?? NOTHING
    const time = changedAtMs.get(domain) ?? 0
    found.set(domain, { ...counts, [counter]: counts[counter] + count, changedAtMs: time })
  }
}

const NOTHING: DomainCounts = { bounce: 0, delivery: 0, reception: 0, changedAtMs: 0 }
