/** Records that this process has ingested in the last hour, minute by minute. */
import type { Clock } from '../../lib/clock.ts'
import type { IngestResult } from './ingest-events.ts'

const MINUTE_MS = 60_000
const MINUTES = 60

export interface IngestMinute {
  readonly startMs: number
  readonly stored: number
  readonly duplicates: number
  readonly rejected: number
}

export class IngestMinutes {
  readonly #clock: Clock
  /** By the number of the minute; never more than an hour of them. */
  readonly #minutes = new Map<number, Omit<IngestMinute, 'startMs'>>()
  #lastStoredAtMs: number | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  add({ stored, duplicates, rejected }: IngestResult): void {
    const nowMs = this.#clock()
    const number = Math.floor(nowMs / MINUTE_MS)
    const before = this.#minutes.get(number)
    this.#minutes.set(number, {
      stored: (before?.stored ?? 0) + stored,
      duplicates: (before?.duplicates ?? 0) + duplicates,
      rejected: (before?.rejected ?? 0) + rejected.length,
    })
    if (stored > 0) this.#lastStoredAtMs = nowMs
    // Later ones too: the clock may have been set back.
    for (const other of this.#minutes.keys())
      if (other <= number - MINUTES || other > number) this.#minutes.delete(other)
  }

  /** When something was last stored; undefined before the first. */
  get lastStoredAtMs(): number | undefined {
    return this.#lastStoredAtMs
  }

  /** The last 60 minutes, oldest first, including those without records. */
  list(): readonly IngestMinute[] {
    const last = Math.floor(this.#clock() / MINUTE_MS)
    return Array.from({ length: MINUTES }, (_, index) => {
      const number = last - MINUTES + 1 + index
      const counted = this.#minutes.get(number) ?? { stored: 0, duplicates: 0, rejected: 0 }
      return { startMs: number * MINUTE_MS, ...counted }
    })
  }
}
