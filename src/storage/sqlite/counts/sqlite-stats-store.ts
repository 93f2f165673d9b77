/** Counts per domain: those of the days that are there plus the totals of those that retention removed. */
import { EVENT_TYPES } from '../../../events/event.ts'
import type { DomainCounts } from '../../../stats/domain-counts.ts'
import type { HourCount, SeriesQuery } from '../../../stats/series.ts'
import type { StatsStore } from '../../../stats/stats-store.ts'
import type { Database } from '../database/database.ts'
import type { Day } from '../days/day.ts'
import { Tallies } from '../days/tallies.ts'
import type { DayReaders } from '../reading/day-readers.ts'
import { listHourCounts } from './hour-counts.ts'

interface Counted {
  readonly days: readonly Day[]
  readonly revision: number
  readonly controlVersion: number
  readonly counts: ReadonlyMap<number, DomainCounts>
}

export class SqliteStatsStore implements StatsStore {
  readonly #control: Database
  readonly #readers: DayReaders
  /** Of all domains; adding up again is felt where there are many days. */
  #counted: Counted | undefined

  constructor(control: Database, readers: DayReaders) {
    this.#control = control
    this.#readers = readers
  }

  async countsByDomain(domainNumbers: readonly number[]): Promise<ReadonlyMap<number, DomainCounts>> {
    const counts = this.#countAll()
    const found = new Map<number, DomainCounts>()
    for (const domain of domainNumbers) {
      const ofDomain = counts.get(domain)
      if (ofDomain) found.set(domain, ofDomain)
    }
    return found
  }

  countsByHour(query: SeriesQuery): AsyncIterable<readonly HourCount[]> {
    return listHourCounts(this.#readers, query)
  }

  #countAll(): ReadonlyMap<number, DomainCounts> {
    for (;;) {
      const days = this.#readers.days()
      const controlVersion = this.#control.dataVersion()
      const known = this.#counted
      if (known && known.days === days && known.controlVersion === controlVersion) {
        if (known.revision === this.#readers.revision) return known.counts
      }
      const counts = this.#tryCount(days)
      // Summaries that were loaded meanwhile count as changes: they are in.
      if (counts) this.#counted = { days, controlVersion, revision: this.#readers.revision, counts }
      if (counts) return counts
    }
  }

  /** Undefined when retention removed a day while we counted: it is in the totals now, so count again. */
  #tryCount(days: readonly Day[]): ReadonlyMap<number, DomainCounts> | undefined {
    const tallies = new Tallies()
    const folded = this.#control.snapshot(() => {
      this.#addTotals(tallies)
      return this.#foldedSince(days.at(-1))
    })
    for (const day of days) {
      if (folded.has(day)) continue
      using lease = this.#readers.lease(day)
      if (!lease) return undefined
      lease.reader.summary.addTo(tallies)
    }
    return tallies.counts
  }

  #addTotals(tallies: Tallies): void {
    const rows = this.#control.allArrays<[number, string, number, number]>(
      'SELECT domain_number, type, count, changed_at_ms FROM total',
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
