/** Counts of domains since they were added: what ClickHouse has by hour, and what was removed from it before. */
import { EVENT_TYPES, type EventType } from '../../../events/event.ts'
import { COUNTER_OF_TYPE, type DomainCounts } from '../../../stats/domain-counts.ts'
import { literal, literalList, numberSet } from '../literals.ts'
import type { ClickHouse } from '../server/clickhouse.ts'

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

async function countSome(
  clickHouse: ClickHouse,
  removed: RemovedTotals,
  domains: readonly number[],
): Promise<ReadonlyMap<number, DomainCounts>> {
  const ofDomains = `domain IN ${numberSet('UInt32', domains)}`
  const { totals, counted } = await removed.readWith(domains, (fromHour) =>
    Promise.all([
      clickHouse.select(`SELECT domain, type, sum(n) FROM ${clickHouse.readFrom('event_hour')}
        WHERE ${ofDomains} AND hour >= ${literal(fromHour)} AND type IN ${literalList(COUNTED_TYPES)} GROUP BY domain, type`),
      clickHouse.select(`SELECT domain, max(changed_at_ms) FROM ${clickHouse.readFrom('domain_change')}
        WHERE ${ofDomains} GROUP BY domain`),
    ]),
  )
  const [hours, changes] = counted
  const changedAtMs = new Map(changes.map(([domain, time]) => [Number(domain), Number(time)]))
  const found = new Map<number, DomainCounts>()
  for (const [domain, type, count] of hours) add(Number(domain), EVENT_TYPES[Number(type)], Number(count))
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
