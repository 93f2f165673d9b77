/**
 * How many events of each type every domain has in one day, in memory: searches skip days by it, and the statistics add it
 * up. Commits are applied in order; if one was missed, it has to be reloaded.
 */
import { EVENT_TYPES } from '../../../events/event.ts'
import { COUNTER_OF_TYPE } from '../../../stats/domain-counts.ts'
import type { Database } from '../database/database.ts'
import type { DayCommit } from './day-commit.ts'

const TYPES = EVENT_TYPES.length
/** The types that feed the statistics, by number. */
const COUNTED_TYPES = EVENT_TYPES.flatMap((type, number) => (COUNTER_OF_TYPE[type] ? [number] : []))

/** Room for so many domains when the first one is added, and how much more when it is full. */
const FIRST_DOMAINS = 64
const GROWTH = 2

export class DaySummary {
  /** Number of the last event that is counted. */
  #arrival: number
  /** The index of each domain; its counts begin at TYPES times that. */
  readonly #indexes = new Map<number, number>()
  #counts: Uint32Array
  /** When a type that feeds the statistics last grew. */
  #changedAtMs: Float64Array

  private constructor(arrival: number, domains: number) {
    this.#arrival = arrival
    this.#counts = new Uint32Array(domains * TYPES)
    this.#changedAtMs = new Float64Array(domains)
  }

  static load(db: Database): DaySummary {
    return db.snapshot(() => {
      const rows = db.allArrays<[number, number, number, number]>(
        'SELECT domain, type, count, changed_at_ms FROM counter',
      )
      const summary = new DaySummary(readArrival(db), new Set(rows.map(([domain]) => domain)).size)
      for (const row of rows) summary.#add(...row)
      return summary
    })
  }

  /** False when commits before this one are missing. One that is counted already changes nothing. */
  apply({ arrivalBefore, arrival, counts, committedAtMs }: DayCommit): boolean {
    if (arrival <= this.#arrival) return true
    if (arrivalBefore !== this.#arrival) return false
    for (const [domain, type, count] of counts) this.#add(domain, type, count, committedAtMs)
    this.#arrival = arrival
    return true
  }

  /** Events of the day, of all domains. */
  get events(): number {
    return this.#arrival
  }

  /** Events of the domain: of the given types, or of all. */
  count(domain: number, types?: readonly number[]): number {
    const index = this.#indexes.get(domain)
    if (index === undefined) return 0
    const first = index * TYPES
    let sum = 0
    if (types) for (const type of types) sum += this.#counts[first + type] ?? 0
    else for (let type = 0; type < TYPES; type++) sum += this.#counts[first + type] ?? 0
    return sum
  }

  /** Counts of the types that feed the statistics. */
  *listCounts(): Generator<readonly [domain: number, type: number, count: number, changedAtMs: number]> {
    for (const [domain, index] of this.#indexes) {
      const changedAtMs = this.#changedAtMs[index] ?? 0
      if (changedAtMs === 0) continue
      for (const type of COUNTED_TYPES) yield [domain, type, this.#counts[index * TYPES + type] ?? 0, changedAtMs]
    }
  }

  #add(domain: number, type: number, count: number, changedAtMs: number): void {
    let index = this.#indexes.get(domain)
    if (index === undefined) {
      index = this.#indexes.size
      this.#indexes.set(domain, index)
      if (index >= this.#changedAtMs.length) this.#grow()
    }
    this.#counts[index * TYPES + type] = (this.#counts[index * TYPES + type] ?? 0) + count
    if (COUNTED_TYPES.includes(type)) {
      this.#changedAtMs[index] = Math.max(this.#changedAtMs[index] ?? 0, changedAtMs)
    }
  }

  #grow(): void {
    const domains = Math.max(FIRST_DOMAINS, this.#changedAtMs.length * GROWTH)
    const [counts, changedAtMs] = [this.#counts, this.#changedAtMs]
    this.#counts = new Uint32Array(domains * TYPES)
    this.#counts.set(counts)
    this.#changedAtMs = new Float64Array(domains)
    this.#changedAtMs.set(changedAtMs)
  }
}

function readArrival(db: Database): number {
  return db.number('SELECT arrival FROM day')
}
