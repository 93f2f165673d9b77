/** Counts per domain while they are added up. */
import { EVENT_TYPES } from '../../../events/event.ts'
import { COUNTER_OF_TYPE, type DomainCounts } from '../../../stats/domain-counts.ts'

type Tally = { -readonly [Name in keyof DomainCounts]: DomainCounts[Name] }

/** The types that feed a counter, by their number in day files. */
export const COUNTED_TYPES = EVENT_TYPES.flatMap((type, number) => (COUNTER_OF_TYPE[type] ? [number] : []))

export class Tallies {
  readonly #byDomain = new Map<number, Tally>()

  addEvents(domain: number, typeNumber: number, count: number, changedAtMs: number): void {
    const type = EVENT_TYPES[typeNumber]
    const counter = type && COUNTER_OF_TYPE[type]
    if (!counter || count === 0) return
    const tally = this.#tallyOf(domain)
    tally[counter] += count
    tally.changedAtMs = Math.max(tally.changedAtMs, changedAtMs)
  }

  get counts(): ReadonlyMap<number, DomainCounts> {
    return this.#byDomain
  }

  #tallyOf(domain: number): Tally {
    let tally = this.#byDomain.get(domain)
    if (!tally) {
      tally = { bounce: 0, delivery: 0, reception: 0, changedAtMs: 0 }
      this.#byDomain.set(domain, tally)
    }
    return tally
  }
}
