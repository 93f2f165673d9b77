/**
 * Counts per domain since it was added: the totals of removed days and those of the history index, plus the counts of all other
 * days. Loaded once, then kept current by the commits of this process; removing a day changes nothing, as its counts move to
 * the totals.
 */
import { Turn } from '../../../lib/turns/turn.ts'
import type { DomainCounts } from '../../../stats/domain-counts.ts'
import type { Database } from '../database/database.ts'
import type { Day } from '../days/day.ts'
import type { DayCommit } from '../days/day-commit.ts'
import type { DayReaders } from '../reading/day-readers.ts'
import { DomainTallies } from './domain-tallies.ts'

export class DomainTotals {
  readonly #control: Database
  readonly #readers: DayReaders
  /** Undefined until first requested. */
  #tallies: DomainTallies | undefined

  constructor(control: Database, readers: DayReaders) {
    this.#control = control
    this.#readers = readers
  }

  async list(domains: readonly number[]): Promise<ReadonlyMap<number, DomainCounts>> {
    const { byDomain } = await this.#load()
    const found = new Map<number, DomainCounts>()
    for (const domain of domains) {
      const counts = byDomain.get(domain)
      if (counts) found.set(domain, counts)
    }
    return found
  }

  learn(commits: readonly DayCommit[]): void {
    for (const commit of commits) if (this.#tallies?.learn(commit) === false) this.forget()
  }

  /** The next request counts again. */
  forget(): void {
    this.#tallies = undefined
  }

  async #load(): Promise<DomainTallies> {
    for (;;) {
      this.#tallies ??= new DomainTallies(this.#control, this.#readers.history)
      const tallies = this.#tallies
      try {
        tallies.loading ??= this.#addDays(tallies)
        await tallies.loading
      } catch (error) {
        if (tallies === this.#tallies) this.forget()
        throw error
      }
      if (tallies === this.#tallies) return tallies
    }
  }

  /** There may be many days and domains: other work gets the thread in between, and commits during that time are added. */
  async #addDays(tallies: DomainTallies): Promise<void> {
    const turn = new Turn()
    for (let day = this.#findUncounted(tallies); day !== undefined; day = this.#findUncounted(tallies)) {
      using lease = this.#readers.lease(day)
      if (lease) tallies.add(day, lease.reader.summary)
      else tallies.skip(day)
      await turn.share()
    }
    if (!tallies.finish(this.#control) && tallies === this.#tallies) this.forget()
  }

  #findUncounted(tallies: DomainTallies): Day | undefined {
    return this.#readers.days.find((day) => !tallies.knows(day))
  }
}
