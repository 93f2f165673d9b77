/** Compares the totals of closed days with the counts by hour that they are the sums of; those are compared with the events. */
import type { ClosedCount, Counters } from '../../postgres/batches/batch.ts'
import { addClosed, type HeldShard } from '../../postgres/batches/held-shard.ts'
import type { Statements } from '../../postgres/database/postgres.ts'
import type { ClosingDeps } from '../closing/close-days.ts'
import { hoursBetween, lockClosedDays, ofShard, readClosedDays, sumHours } from '../closing/closed-days.ts'
import { COUNTERS } from '../counts/counters.ts'
import { literalList } from '../literals.ts'

/** Numbers of domains that are compared at a time. */
const NUMBERS_AT_ONCE = 10_000
/** Under one lock. */
const DOMAINS_AT_ONCE = 10
const READ_BUDGET_MS = 600_000
const LOCKED_BUDGET_MS = 5000

const READ_LAST = `
  SELECT greatest((SELECT max(number) FROM domain), (SELECT max(domain_number) FROM closed_total), 0)::bigint AS last`
const READ_TOTALS = `
  SELECT domain_number AS domain, bounce, delivery, reception FROM closed_total WHERE domain_number = ANY ($1)`
const LIST_REMOVED = 'SELECT number FROM removed_domain WHERE number = ANY ($1)'
const DELETE = 'DELETE FROM closed_total WHERE domain_number = ANY ($1)'

/** What is wrong, in words; corrected if wanted. */
export async function compareClosed(deps: ClosingDeps, isRepairing: boolean): Promise<readonly string[]> {
  const findings: string[] = []
  const last = await deps.db.number(READ_LAST)
  for (let shard = 0; shard < deps.access.shards; shard++) {
    for (let from = 0; from <= last; from += NUMBERS_AT_ONCE) {
      const numbers = numbersOf(shard, deps.access.shards, from, Math.min(last, from + NUMBERS_AT_ONCE - 1))
      // Totals and hours are not read at the same moment: what differs is looked at again while nothing changes.
      const suspects = (await compare(deps, deps.db, shard, numbers, READ_BUDGET_MS)).map(({ domain }) => domain)
      for (let at = 0; at < suspects.length; at += DOMAINS_AT_ONCE) {
        const some = suspects.slice(at, at + DOMAINS_AT_ONCE)
        findings.push(...(await deps.access.whileIdle(shard, (held) => examine(deps, held, some, isRepairing))))
      }
    }
  }
  return findings
}

interface WrongTotal {
  readonly domain: number
  readonly total: Counters
  /** The sums of its hours. */
  readonly hours: Counters
  readonly lastDay: string
}

const NOTHING: Counters = { bounce: 0, delivery: 0, reception: 0 }
/** The condition for no hours: no day is closed that is not removed. */
const NONE = '0'

async function examine(
  deps: ClosingDeps,
  held: HeldShard,
  domains: readonly number[],
  isRepairing: boolean,
): Promise<readonly string[]> {
  return held.transaction(async (statements) => {
    // No day is removed meanwhile.
    await lockClosedDays(statements, held.number)
    const wrong = await compare(deps, statements, held.number, domains, LOCKED_BUDGET_MS)
    if (isRepairing && wrong.length > 0) {
      await statements.run(
        DELETE,
        wrong.map(({ domain }) => domain),
      )
      await addClosed(
        statements,
        wrong.map(({ domain, hours }) => ({ domain, ...hours })),
      )
    }
    return wrong.map(describeWrong)
  })
}

function describeWrong({ domain, total, hours, lastDay }: WrongTotal): string {
  const differences = COUNTERS.filter((name) => total[name] !== hours[name]).map(
    (name) => `${name}: sum of closed days ${total[name]}, sum of hourly counters ${hours[name]}`,
  )
  return `up to ${lastDay}: domain ${domain}, ${differences.join('; ')}`
}

/** Of domains that exist. */
async function compare(
  deps: ClosingDeps,
  statements: Statements,
  shard: number,
  domains: readonly number[],
  budgetMs: number,
): Promise<readonly WrongTotal[]> {
  const { lastDay, where } = await describeClosed(deps, statements, shard, domains)
  const hours = where === NONE ? [] : await sumHours(deps.clickHouse, where, budgetMs)
  const totals = await statements.all<ClosedCount>(READ_TOTALS, domains)
  const removed = await statements.all<{ number: number }>(LIST_REMOVED, domains)
  const found = new Map<number, WrongTotal>()
  for (const { domain, ...total } of totals) found.set(domain, { domain, total, hours: NOTHING, lastDay })
  for (const { domain, ...sums } of hours) {
    found.set(domain, { domain, total: found.get(domain)?.total ?? NOTHING, hours: sums, lastDay })
  }
  for (const { number } of removed) found.delete(number)
  return [...found.values()].filter(({ total, hours: sums }) => COUNTERS.some((name) => total[name] !== sums[name]))
}

/** Which days are in the totals of closed days, and the condition for their hours. */
async function describeClosed(
  { clickHouse }: ClosingDeps,
  statements: Statements,
  shard: number,
  domains: readonly number[],
): Promise<{ readonly lastDay: string; readonly where: string }> {
  const { lastDay, foldedDay } = await readClosedDays(statements, shard)
  if (lastDay === foldedDay || domains.length === 0) return { lastDay, where: NONE }
  const [first = 0, last = first] = [domains[0], domains.at(-1)]
  const listed =
    domains.length > DOMAINS_AT_ONCE ? `domain >= ${first} AND domain <= ${last}` : `domain IN ${literalList(domains)}`
  return { lastDay, where: `${hoursBetween(foldedDay, lastDay)} AND ${ofShard(clickHouse, shard)} AND ${listed}` }
}

/** Of the shard, in order. */
function numbersOf(shard: number, shards: number, from: number, to: number): readonly number[] {
  const numbers: number[] = []
  for (let number = from + ((shard - (from % shards) + shards) % shards); number <= to; number += shards) {
    numbers.push(number)
  }
  return numbers
}
