/** Counts per domain: those of the days that are there plus the totals of those that retention removed. */
import { EVENT_TYPES } from '../../../events/event.ts'
import type { DomainCounts } from '../../../stats/domain-counts.ts'
import type { StatsStore } from '../../../stats/stats-store.ts'
import type { Database } from '../database.ts'
import type { DayReaders } from './day-readers.ts'
import { Tallies } from './tallies.ts'

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
    const tallies = new Tallies()
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
        const found = counts.get(domain)
        if (found) tallies.addCounts(domain, found)
      }
    }
    return tallies.counts
  }

  #addTotals(tallies: Tallies, domainNumbers: readonly number[]): void {
    const rows = this.#control.allArrays<[number, string, number, number]>(
      `SELECT domain_number, type, count, changed_at_ms FROM total
       WHERE domain_number IN (SELECT value FROM json_each(?))`,
      JSON.stringify(domainNumbers),
    )
    for (const [domain, type, count, changedAtMs] of rows) {
      tallies.addEvents(domain, (EVENT_TYPES as readonly string[]).indexOf(type), count, changedAtMs)
    }
  }

  #foldedSince(oldest: string | undefined): ReadonlySet<string> {
    if (oldest === undefined) return new Set()
    const rows = this.#control.all<{ day: string }>('SELECT day FROM folded_day WHERE day >= ?', oldest)
    return new Set(rows.map((row) => row.day))
  }
}
