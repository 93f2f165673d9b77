/**
 * Counts the events of each day again and compares, while events are stored. What differs at first sight is looked at again while
 * nothing is decided about its shard: counts and events of a batch become visible one after the other.
 */
import type { HeldShard } from '../../postgres/batches/held-shard.ts'
import type { Postgres } from '../../postgres/database/postgres.ts'
import type { ClickHouse } from '../server/clickhouse.ts'
import { Members } from '../upkeep/members.ts'
import { finishDecided, type ShardAccess } from '../upkeep/shard-access.ts'
import { compareClosed } from './closed-differences.ts'
import { decideCorrection } from './correction.ts'
import {
  type CountTable,
  describeCount,
  listWrongCounts,
  listWrongDomains,
  type WrongDomain,
} from './count-differences.ts'
import { findTwins } from './find-twins.ts'

const TABLES = ['event_hour', 'sending_hour'] as const satisfies readonly CountTable[]
/** Looked at under one lock: milliseconds. */
const DOMAINS_AT_ONCE = 50
/** A list of everything would be of no use. */
const FINDINGS_MAX = 1000

const READ_ERASED = `
  SELECT domain_number AS domain, count FROM erased_count WHERE day = $1 AND domain_number = ANY ($2)`
const READ_DECIDED = 'SELECT decided FROM erasing WHERE decided IS NOT NULL'

export interface RecounterDeps {
  readonly db: Postgres
  readonly clickHouse: ClickHouse
  readonly access: ShardAccess
}

export interface RecountOptions {
  readonly onProgress?: ((day: string) => void) | undefined
  /** Corrects the counts, except for days with events that are stored twice. */
  readonly isRepairing?: boolean
}

export class Recounter {
  readonly #deps: RecounterDeps

  constructor(deps: RecounterDeps) {
    this.#deps = deps
  }

  /** What is wrong, or was before it was repaired. */
  async run({ onProgress, isRepairing = false }: RecountOptions = {}): Promise<readonly string[]> {
    const findings: string[] = []
    for (const day of await this.#listDays()) {
      const twins = await findTwins(this.#deps.clickHouse, day)
      findings.push(...twins)
      for (const table of TABLES) {
        const wrong = await this.#recountDay(table, day, isRepairing && twins.length === 0)
        findings.push(...wrong.slice(0, Math.max(0, FINDINGS_MAX - findings.length)))
      }
      onProgress?.(day)
    }
    // What corrects is a batch as any other.
    if (isRepairing) await finishDecided(this.#deps.access)
    const wrongTotals = await compareClosed(this.#deps, isRepairing)
    return [...findings, ...wrongTotals].slice(0, Math.max(FINDINGS_MAX, findings.length))
  }

  async #recountDay(table: CountTable, day: string, isRepairing: boolean): Promise<readonly string[]> {
    const { clickHouse } = this.#deps
    const findings: string[] = []
    for (let after = -1; ; ) {
      const domains = await listWrongDomains(clickHouse, table, day, { after })
      for (const suspects of await this.#groupByShard(table, day, domains)) {
        const held = (holder: HeldShard) => this.#examine(holder, table, day, suspects.domains, isRepairing)
        findings.push(...(await this.#deps.access.whileIdle(suspects.shard, held)))
      }
      const last = domains.at(-1)
      if (!last || findings.length >= FINDINGS_MAX) return findings
      after = last.domain
    }
  }

  async #examine(
    held: HeldShard,
    table: CountTable,
    day: string,
    domains: readonly number[],
    isRepairing: boolean,
  ): Promise<readonly string[]> {
    const { clickHouse } = this.#deps
    const wrong = await this.#dropErased(table, day, await listWrongDomains(clickHouse, table, day, { of: domains }))
    const findings: string[] = []
    for (const { domain, erased } of wrong) {
      const found = await listWrongCounts(clickHouse, table, day, domain)
      // Which counts are those of erased events is not known: none of them is lowered.
      const counts = erased === 0 ? found : found.filter(({ counted, events }) => events > counted)
      const isUnclear = counts.length === 0
      findings.push(
        ...(isUnclear ? [describeErased(day, domain, erased)] : counts.map((count) => describeCount(day, count))),
      )
      if (isRepairing && !isUnclear) await decideCorrection(held, table, counts)
    }
    return findings
  }

  async #groupByShard(
    table: CountTable,
    day: string,
    domains: readonly WrongDomain[],
  ): Promise<readonly { readonly shard: number; readonly domains: readonly number[] }[]> {
    const suspects = (await this.#dropErased(table, day, domains)).map(({ domain }) => domain)
    const groups = Map.groupBy(suspects, (domain) => domain % this.#deps.access.shards)
    return [...groups].flatMap(([shard, own]) =>
      Array.from({ length: Math.ceil(own.length / DOMAINS_AT_ONCE) }, (_, at) => ({
        shard,
        domains: own.slice(at * DOMAINS_AT_ONCE, (at + 1) * DOMAINS_AT_ONCE),
      })),
    )
  }

  /** Events that were erased still count. Of them only the number is known, and not how many had an origin. */
  async #dropErased(
    table: CountTable,
    day: string,
    domains: readonly WrongDomain[],
  ): Promise<readonly (WrongDomain & { readonly erased: number })[]> {
    if (domains.length === 0) return []
    const { db } = this.#deps
    const numbers = domains.map(({ domain }) => domain)
    const rows = await db.all<{ domain: number; count: number }>(READ_ERASED, day, numbers)
    const erased = new Map(rows.map(({ domain, count }) => [domain, count]))
    // Counted already, and perhaps not deleted yet.
    const isErasing = (await db.all<{ decided: string }>(READ_DECIDED)).some(({ decided }) => decided.includes(day))
    const isExact = table === 'event_hour' && !isErasing
    return domains
      .map((wrong) => ({ ...wrong, erased: erased.get(wrong.domain) ?? 0 }))
      .filter(({ surplus, isTooLow, erased: count }) => {
        const isExplained = isExact ? surplus === count : surplus > 0 && surplus <= count
        return isTooLow || !isExplained
      })
  }

  async #listDays(): Promise<readonly string[]> {
    const { clickHouse, db } = this.#deps
    const members = await Members.list(clickHouse)
    const days = await members.listPartitions(`active AND table IN ('event', 'event_hour')`)
    const folded = (await db.get<{ day: string | null }>('SELECT max(day) AS day FROM folded_day'))?.day ?? ''
    return days.filter((day) => day > folded)
  }
}

function describeErased(day: string, domain: number, erased: number): string {
  return `${day}: domain ${domain}: the counters do not match the stored events plus ${erased} erased ones`
}
