/** Counts of domains since they were added: what ClickHouse has by hour, and the totals of the days before. */
import type { DomainCounts } from '../../../stats/domain-counts.ts'
import { literal, numberSet } from '../literals.ts'
import type { ClickHouse, ReadSource, SelectOptions } from '../server/clickhouse.ts'
import type { Totals } from '../upkeep/totals.ts'
import { COUNTERS, SUMS } from './counters.ts'

type DayTotals = Pick<Totals, 'readWith'>

/** Several threads take longer to share the hours of a few days than one takes to add them up. */
const FEW_DAYS: SelectOptions = { settings: { max_threads: 1 } }
/** Domains of one statement. */
const DOMAINS_AT_ONCE = 20_000

/** Domains without counted events are absent. */
export async function countDomains(
  clickHouse: ClickHouse,
  totals: DayTotals,
  domainNumbers: readonly number[],
): Promise<ReadonlyMap<number, DomainCounts>> {
  const found = new Map<number, DomainCounts>()
  for (let at = 0; at < domainNumbers.length; at += DOMAINS_AT_ONCE) {
    const domains = domainNumbers.slice(at, at + DOMAINS_AT_ONCE)
    for (const [domain, counts] of await countSome(clickHouse, totals, domains)) found.set(domain, counts)
  }
  return found
}

/**
 * A row of each domain with its counts, and another with the time of their last change: one statement, because each costs more than what
 * it counts. Every condition is a column to read in every part.
 */
function countStatement({ from, isThere }: ReadSource, domains: readonly number[], fromHour: number): string {
  const where = `WHERE domain IN ${numberSet('UInt32', domains)}`
  const isRetained = fromHour > 0 ? `AND hour >= ${literal(fromHour)}` : ''
  const none = COUNTERS.map((counter) => `toInt64(0) AS ${counter}`)
  // isThere fails for both, and takes a part of the time.
  return `SELECT domain, ${SUMS}, toInt64(0) AS changed FROM ${from('event_hour')}
      ${where} AND ${isThere} ${isRetained} GROUP BY domain
    UNION ALL SELECT domain, ${none.join(', ')}, toInt64(max(changed_at_ms)) AS changed FROM ${from('domain_change')}
      ${where} GROUP BY domain`
}

async function countSome(
  clickHouse: ClickHouse,
  before: DayTotals,
  domains: readonly number[],
): Promise<ReadonlyMap<number, DomainCounts>> {
  const { totals, counted } = await before.readWith(domains, async (hours) => {
    const byHour = Map.groupBy(domains, (domain) => hours.fromHourOf(domain % clickHouse.shards))
    const parts = [...byHour].flatMap(([fromHour, own]) => {
      const options = hours.isAfterClosed(fromHour) ? FEW_DAYS : {}
      return clickHouse
        .divide(own)
        .map((some) => clickHouse.selectOf(some, (source) => countStatement(source, some, fromHour), options))
    })
    return (await Promise.all(parts)).flat()
  })
  const found = new Map<number, { -readonly [Counter in keyof DomainCounts]: DomainCounts[Counter] }>()
  for (const [domain, bounce, delivery, reception, changedAtMs] of counted) {
    add(Number(domain), Number(bounce), Number(delivery), Number(reception), Number(changedAtMs))
  }
  for (const { domain, bounce, delivery, reception } of totals) add(domain, bounce, delivery, reception, 0)
  for (const [domain, { bounce, delivery, reception }] of found) {
    if (bounce === 0 && delivery === 0 && reception === 0) found.delete(domain)
  }
  return found

  function add(domain: number, bounce: number, delivery: number, reception: number, changedAtMs: number): void {
    const counts = found.get(domain)
    if (!counts) {
      found.set(domain, { bounce, delivery, reception, changedAtMs })
      return
    }
    counts.bounce += bounce
    counts.delivery += delivery
    counts.reception += reception
    counts.changedAtMs = Math.max(counts.changedAtMs, changedAtMs)
  }
}
