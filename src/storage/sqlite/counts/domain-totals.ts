/**
 * Counts per domain since it was added: those of the days that are there plus the totals of removed ones. Loaded once, then
 * kept current by the commits of this process; removing a day changes nothing, as its counts move to the totals.
 */
import { EVENT_TYPES } from '../../../events/event.ts'
import { COUNTER_OF_TYPE, type DomainCounts } from '../../../stats/domain-counts.ts'
import type { Database } from '../database/database.ts'
import type { Day } from '../days/day.ts'
import type { DayCommit } from '../days/day-commit.ts'
import type { DayReaders } from '../reading/day-readers.ts'

const NOTHING: DomainCounts = { bounce: 0, delivery: 0, reception: 0, changedAtMs: 0 }

export class DomainTotals {
  readonly #control: Database
  readonly #readers: DayReaders
  #tallies: Map<number, DomainCounts> | undefined
  /** The last arrival of each day that is counted. */
  readonly #counted = new Map<Day, number>()

  constructor(control: Database, readers: DayReaders) {
    this.#control = control
    this.#readers = readers
  }

  find(domain: number): DomainCounts | undefined {
    this.#tallies ??= this.#load()
    return this.#tallies.get(domain)
  }

  learn(commits: readonly DayCommit[]): void {
    for (const commit of commits) {
      const counted = this.#counted.get(commit.day) ?? 0
      if (!this.#tallies || commit.arrival <= counted) continue
      if (commit.arrivalBefore !== counted) {
        this.forget()
        return
      }
      for (const [domain, type, count] of commit.counts) add(this.#tallies, domain, type, count, commit.committedAtMs)
      this.#counted.set(commit.day, commit.arrival)
    }
  }

  /** Counts again when next asked. */
  forget(): void {
    this.#tallies = undefined
    this.#counted.clear()
  }

  #load(): Map<number, DomainCounts> {
    const tallies = new Map<number, DomainCounts>()
    const { rows, removed } = this.#control.snapshot(() => ({
      rows: this.#control.allArrays<[number, string, number, number]>(
        'SELECT domain_number, type, count, changed_at_ms FROM total',
      ),
      removed: new Set(this.#control.allArrays<[string]>('SELECT day FROM folded_day').map(([day]) => day)),
    }))
    for (const [domain, type, count, changedAtMs] of rows) {
      add(tallies, domain, (EVENT_TYPES as readonly string[]).indexOf(type), count, changedAtMs)
    }
    for (const day of this.#readers.days) {
      // Its counts are among the totals, whether or not its file is gone.
      if (removed.has(day)) continue
      using lease = this.#readers.lease(day)
      // Removed just now: it is among the totals the next time they are read.
      if (!lease) return this.#load()
      const { summary } = lease.reader
      for (const row of summary.listCounts()) add(tallies, ...row)
      this.#counted.set(day, summary.events)
    }
    return tallies
  }
}

function add(
  tallies: Map<number, DomainCounts>,
  domain: number,
  typeNumber: number,
  count: number,
  changedAtMs: number,
): void {
  const type = EVENT_TYPES[typeNumber]
  const counter = type && COUNTER_OF_TYPE[type]
  if (!counter || count === 0) return
  const tally = tallies.get(domain) ?? NOTHING
  // A new object each time: what was handed out never changes.
  tallies.set(domain, {
    ...tally,
    [counter]: tally[counter] + count,
    changedAtMs: Math.max(tally.changedAtMs, changedAtMs),
  })
}
