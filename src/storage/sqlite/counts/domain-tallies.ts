/** The counts of DomainTotals, complete or still being added up: which days they include, and up to which event. */
import { EVENT_TYPES } from '../../../events/event.ts'
import { COUNTER_OF_TYPE, type DomainCounts } from '../../../stats/domain-counts.ts'
import type { Database } from '../database/database.ts'
import type { Day } from '../days/day.ts'
import type { DayCommit } from '../days/day-commit.ts'
import type { DaySummary } from '../days/day-summary.ts'
import type { HistoryReader } from '../history/history-reader.ts'
import { dayOfNumber } from '../history/span.ts'

const NOTHING: DomainCounts = { bounce: 0, delivery: 0, reception: 0, changedAtMs: 0 }

export class DomainTallies {
  /** Ends when every day is in it. */
  loading: Promise<void> | undefined
  readonly #byDomain = new Map<number, DomainCounts>()
  /** The last arrival of each day that is counted; infinite for days that are among the totals. */
  readonly #counted = new Map<Day, number>()
  /** Days whose files are gone. */
  readonly #skipped = new Set<Day>()
  #isFinished = false

  /** Begins with the totals of removed days, and those of the history index. Throws LostHistoryError. */
  constructor(control: Database, history: HistoryReader) {
    const addRemoved = () => control.snapshot(() => this.#addRemoved(control))
    // The index first: a day that retention moves from there to the totals meanwhile is then in both, and taken out of one.
    const isKnown = history.snapshot((db) => {
      addRemoved()
      this.#addHistory(db)
      return true
    })
    if (!isKnown) addRemoved()
  }

  get byDomain(): ReadonlyMap<number, DomainCounts> {
    return this.#byDomain
  }

  knows(day: Day): boolean {
    return this.#counted.has(day) || this.#skipped.has(day)
  }

  add(day: Day, summary: DaySummary): void {
    for (const row of summary.listCounts()) this.#add(...row)
    this.#counted.set(day, summary.events)
  }

  skip(day: Day): void {
    this.#skipped.add(day)
  }

  /** False if retention has removed a day before it was counted: it is in the totals now, but was not when they were read. */
  finish(control: Database): boolean {
    this.#isFinished = true
    return listFolded(control).every((day) => this.#counted.has(day))
  }

  /** False when a commit was missed. One that is counted already changes nothing. */
  learn({ day, arrivalBefore, arrival, counts, committedAtMs }: DayCommit): boolean {
    this.#skipped.delete(day)
    const counted = this.#counted.get(day)
    // It will be in the summary of the day, which is still to be added.
    if (counted === undefined && !this.#isFinished) return true
    if (arrival <= (counted ?? 0)) return true
    if (arrivalBefore !== (counted ?? 0)) return false
    for (const [domain, type, count] of counts) this.#add(domain, type, count, committedAtMs)
    this.#counted.set(day, arrival)
    return true
  }

  #addRemoved(control: Database): void {
    const totals = control.allArrays<[number, string, number, number]>(
      'SELECT domain_number, type, count, changed_at_ms FROM total',
    )
    for (const [domain, type, count, changedAtMs] of totals) {
      this.#add(domain, (EVENT_TYPES as readonly string[]).indexOf(type), count, changedAtMs)
    }
    for (const day of listFolded(control)) this.#counted.set(day, Number.POSITIVE_INFINITY)
  }

  /** Its totals, without the days that are counted otherwise: removed ones, and those that may have changed since. */
  #addHistory(history: Database): void {
    const totals = history.allArrays<[number, string, number]>('SELECT domain, types, changed_at_ms FROM total')
    for (const [domain, types, changedAtMs] of totals) this.#addTypes(domain, types, 1, changedAtMs)
    const days = history.allArrays<[number, number, number]>('SELECT day, is_open, arrival FROM day')
    for (const [number, isOpen, arrival] of days) {
      const day = dayOfNumber(number)
      if (isOpen === 0 && !this.#counted.has(day)) {
        this.#counted.set(day, arrival)
        continue
      }
      const rows = history.allArrays<[number, string]>('SELECT domain, types FROM domain_day WHERE day = ?', number)
      for (const [domain, types] of rows) this.#addTypes(domain, types, -1, 0)
    }
  }

  #addTypes(domain: number, types: string, sign: 1 | -1, changedAtMs: number): void {
    for (const [type, count] of (JSON.parse(types) as readonly number[]).entries()) {
      this.#add(domain, type, sign * count, changedAtMs)
    }
  }

  #add(domain: number, typeNumber: number, count: number, changedAtMs: number): void {
    const type = EVENT_TYPES[typeNumber]
    const counter = type && COUNTER_OF_TYPE[type]
    if (!counter || count === 0) return
    const before = this.#byDomain.get(domain) ?? NOTHING
    // A new object each time: counts that were handed out never change.
    const counts = { ...before, changedAtMs: Math.max(before.changedAtMs, changedAtMs) }
    counts[counter] += count
    this.#byDomain.set(domain, counts)
  }
}

function listFolded(control: Database): readonly Day[] {
  return control.allArrays<[Day]>('SELECT day FROM folded_day').map(([day]) => day)
}
