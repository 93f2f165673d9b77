/** Counts of domains since they were added: what ClickHouse has by hour, and the totals of the days before. */
import type { DomainCounts } from '../../../stats/domain-counts.ts'
import { literal, numberSet } from '../literals.ts'
import type { ClickHouse, ReadSource } from '../server/clickhouse.ts'
import type { Totals } from '../upkeep/totals.ts'
import { COUNTERS, SUMS } from './counters.ts'

type DayTotals = Pick<Totals, 'readWith'>

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
    const parts = [...byHour].flatMap(([fromHour, own]) =>
      clickHouse
        .divide(own)
        .map((some) => clickHouse.selectOf(some, (source) => countStatement(source, some, fromHour))),
    )
    return (await Promise.all(parts)).flat()
  })
  const found = new Map<number, DomainCounts>()
  for (const [domain, ...figures] of counted) {
    const [bounce = 0, delivery = 0, reception = 0, changedAtMs = 0] = figures.map(Number)
    add(Number(domain), { bounce, delivery, reception, changedAtMs })
  }
  for (const { domain, ...counters } of totals) add(domain, { ...counters, changedAtMs: 0 })
  for (const [domain, { bounce, delivery, reception }] of found) {
    if (bounce === 0 && delivery === 0 && reception === 0) found.delete(domain)
  }
  return found

  function add(domain: number, { bounce, delivery, reception, changedAtMs }: DomainCounts): void {
    const counts = found.get(domain) ?? NOTHING
    found.set(domain, {
      bounce: counts.bounce + bounce,
      delivery: counts.delivery + delivery,
      reception: counts.reception + reception,
      changedAtMs: Math.max(counts.changedAtMs, changedAtMs),
    })
  }
}

const NOTHING: DomainCounts = { bounce: 0, delivery: 0, reception: 0, changedAtMs: 0 }
