/**
 * How many events the domains of a search have on each day, from the counts by hour: so a search with filters over few events takes one
 * statement instead of several longer and longer ones. A hint: nothing depends on its being right.
 */
import type { LogDomain } from '../../../events/log/log-query.ts'
import { AppError } from '../../../lib/app-error.ts'
import { Recent } from '../../../lib/recent.ts'
import { literalList } from '../literals.ts'
import { BudgetError, type ClickHouse } from '../server/clickhouse.ts'
import { LONGEST_SPAN } from './search-spans.ts'

const SECONDS_PER_DAY = 86_400
/** For more, there are too many counts to add up. */
const DOMAINS_MAX = 20
const ROWS_MAX = 200_000
const BUDGET_MS = 500
const MAX_AGE_MS = 60_000
const KNOWN_MAX = 10_000

/** Newest first. */
export type Volumes = readonly { readonly day: number; readonly events: number }[]

interface Known {
  readonly volumes: Promise<Volumes | undefined>
  readonly untilMs: number
}

export class DayVolumes {
  readonly #clickHouse: ClickHouse
  readonly #known = new Recent<Known>(KNOWN_MAX)

  constructor(clickHouse: ClickHouse) {
    this.#clickHouse = clickHouse
  }

  /** Without asking the server. */
  async find(domains: readonly LogDomain[]): Promise<Volumes | undefined> {
    const known = domains.length > DOMAINS_MAX ? undefined : this.#known.find(nameOf(domains))
    return known && performance.now() < known.untilMs ? known.volumes : undefined
  }

  /** Undefined if that would take long. */
  async read(domains: readonly LogDomain[]): Promise<Volumes | undefined> {
    if (domains.length > DOMAINS_MAX) return undefined
    const name = nameOf(domains)
    const known = this.#known.find(name)
    if (known && performance.now() < known.untilMs) return known.volumes
    const volumes = this.#ask(domains.map(({ number }) => number))
    this.#known.keep(name, { volumes, untilMs: performance.now() + MAX_AGE_MS })
    return volumes
  }

  async #ask(numbers: readonly number[]): Promise<Volumes | undefined> {
    try {
      const rows = await this.#clickHouse.selectOf(
        numbers,
        ({ from, isThere }) => `SELECT intDiv(hour, 24) AS day, sum(n) FROM ${from('event_hour')}
          WHERE domain IN ${literalList(numbers)} AND ${isThere} GROUP BY day ORDER BY day DESC`,
        { isStrict: false, budgetMs: BUDGET_MS, settings: { max_rows_to_read: ROWS_MAX } },
      )
      return rows.map(([day, events]) => ({ day: Number(day), events: Number(events) }))
    } catch (error) {
      if (error instanceof BudgetError || error instanceof AppError) return undefined
      throw error
    }
  }
}

function nameOf(domains: readonly LogDomain[]): string {
  return domains.map(({ number }) => number).join(' ')
}

/** The seconds up to and including `end` in which about so many events are; events come evenly within a day. */
export function spanHolding(volumes: Volumes, end: number, wanted: number): number {
  let left = wanted
  for (const { day, events } of volumes) {
    const start = day * SECONDS_PER_DAY
    if (start > end) continue
    const seconds = Math.min(SECONDS_PER_DAY, end - start + 1)
    if (events > left) return end - (start + seconds) + 1 + Math.ceil((left / events) * seconds)
    left -= events
  }
  return LONGEST_SPAN
}
