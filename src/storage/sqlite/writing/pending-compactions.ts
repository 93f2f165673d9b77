/** Days whose files were closed with compaction pending: opened again, one after the other, when the thread is idle. */
import type { Day } from '../days/day.ts'
import type { DayWriter } from './day-writer.ts'

export class PendingCompactions {
  readonly #open: (day: Day) => DayWriter | undefined
  readonly #days = new Set<Day>()
  /** The file of the first of them, while it is compacted. */
  #writer: DayWriter | undefined

  /** `open`: undefined for a day that is gone. */
  constructor(open: (day: Day) => DayWriter | undefined) {
    this.#open = open
  }

  add(day: Day): void {
    this.#days.add(day)
  }

  /** Removes the day; false if it is not one of them. */
  remove(day: Day): boolean {
    if (this.#writer?.day === day) {
      this.#writer.close()
      this.#writer = undefined
    }
    return this.#days.delete(day)
  }

  /** Does a step; true while there is more to do. */
  compact(): boolean {
    const [day] = this.#days
    if (day === undefined) return false
    let isDone = true
    try {
      this.#writer ??= this.#open(day)
      isDone = this.#writer?.compact(Number.POSITIVE_INFINITY) !== 0
    } finally {
      // Also a day that cannot be written: it stays as it is.
      if (isDone) this.remove(day)
    }
    return this.#days.size > 0
  }

  close(): void {
    this.#writer?.close()
    this.#writer = undefined
  }
}
