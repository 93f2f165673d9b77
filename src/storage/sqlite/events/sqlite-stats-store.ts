/** Counts per domain: those of the days that are there plus the totals of those that retention removed. */
import { EVENT_TYPES } from '../../../events/event.ts'
import { COUNTER_OF_TYPE, type DomainCounts } from '../../../stats/domain-counts.ts'
import type { StatsStore } from '../../../stats/stats-store.ts'
import type { Database } from '../database.ts'
import type { DayReaders } from './day-readers.ts'

type Tally = { -readonly [Name in keyof DomainCounts]: DomainCounts[Name] }

export class SqliteStatsStore implements StatsStore {
  readonly #control: Database
  readonly #readers: DayReaders

  constructor(control: Database, readers: DayReaders) {
    this.#control = control
    this.#readers = readers
  }

  async countsByDomain(domainNumbers: readonly number[]): Promise<ReadonlyMap<number, DomainCounts>> {
    for (;;) {
      const counts = this.#tryCount(domainNumbers)
      if (counts) return counts
    }
  }

  /** Undefined when retention removed a day while we counted: it is in the totals now, so count again. */
  #tryCount(domainNumbers: readonly number[]): ReadonlyMap<number, DomainCounts> | undefined {
    const tallies = new Map<number, Tally>()
    const days = this.#readers.days()
    const folded = this.#control.snapshot(() => {
      this.#addTotals(tallies, domainNumbers)
      return this.#foldedSince(days.at(-1))
    })
    for (const day of days) {
      if (folded.has(day)) continue
      using lease = this.#readers.lease(day)
      if (!lease) return undefined
      const counts = lease.reader.counts()
      for (const domain of domainNumbers) {
        for (const { type, count, changed_at_ms } of counts.get(domain) ?? []) {
          add(tallies, domain, EVENT_TYPES[type], count, changed_at_ms)
        }
      }
    }
    return tallies
  }

  #addTotals(tallies: Map<number, Tally>, domainNumbers: readonly number[]): void {
    const rows = this.#control.all<{ domain_number: number; type: string; count: number; changed_at_ms: number }>(
      `SELECT domain_number, type, count, changed_at_ms FROM total
       WHERE domain_number IN (SELECT value FROM json_each(?))`,
      JSON.stringify(domainNumbers),
    )
    for (const { domain_number, type, count, changed_at_ms } of rows) {
      add(
        tallies,
        domain_number,
        EVENT_TYPES.find((name) => name === type),
        count,
        changed_at_ms,
      )
    }
  }

  #foldedSince(oldest: string | undefined): ReadonlySet<string> {
    if (oldest === undefined) return new Set()
    const rows = this.#control.all<{ day: string }>('SELECT day FROM folded_day WHERE day >= ?', oldest)
    return new Set(rows.map((row) => row.day))
  }
}

function add(
  tallies: Map<number, Tally>,
  domain: number,
  type: (typeof EVENT_TYPES)[number] | undefined,
  count: number,
  changedAtMs: number,
): void {
  const counter = type && COUNTER_OF_TYPE[type]
  if (!counter) return
  let tally = tallies.get(domain)
  if (!tally) {
    tally = { bounce: 0, delivery: 0, reception: 0, changedAtMs: 0 }
    tallies.set(domain, tally)
  }
  tally[counter] += count
  tally.changedAtMs = Math.max(tally.changedAtMs, changedAtMs)
}
