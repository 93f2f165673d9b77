/** Retries work for each of several days until it succeeds, with exponential backoff. */
import type { Day } from '../days/day.ts'

export interface RetryDelays {
  readonly firstMs: number
  /** Doubled after every attempt, up to this. */
  readonly maxMs: number
}

/** Within this time a day that needs work again is not a new case. */
const RELAPSE_MS = 60_000

export class Retries {
  readonly #work: (day: Day) => Promise<boolean>
  readonly #delays: RetryDelays
  readonly #waiting = new Map<Day, NodeJS.Timeout>()
  /** The last interval of each day, and when it ended: a day that comes back soon continues from there. */
  readonly #before = new Map<Day, { readonly delayMs: number; readonly endMs: number }>()

  /** `work` returns whether the day is done; throwing means that it is not. */
  constructor(work: (day: Day) => Promise<boolean>, delays: RetryDelays) {
    this.#work = work
    this.#delays = delays
  }

  add(day: Day): void {
    if (this.#waiting.has(day)) return
    const { firstMs, maxMs } = this.#delays
    const before = this.#before.get(day)
    const isRelapse =
      before !== undefined && performance.now() - before.endMs < Math.max(RELAPSE_MS, 2 * before.delayMs)
    this.#wait(day, isRelapse ? Math.min(before.delayMs * 2, maxMs) : firstMs)
  }

  /** Does nothing for a day that is not waiting. */
  remove(day: Day): void {
    clearTimeout(this.#waiting.get(day))
    this.#waiting.delete(day)
  }

  close(): void {
    for (const day of this.#waiting.keys()) this.remove(day)
  }

  #wait(day: Day, delayMs: number): void {
    const timer = setTimeout(() => void this.#attempt(day, timer, delayMs), delayMs).unref()
    this.#waiting.set(day, timer)
  }

  async #attempt(day: Day, timer: NodeJS.Timeout, delayMs: number): Promise<void> {
    const isDone = await this.#work(day).catch(() => false)
    this.#before.set(day, { delayMs, endMs: performance.now() })
    // Removed meanwhile.
    if (this.#waiting.get(day) !== timer) return
    if (isDone) this.#waiting.delete(day)
    else this.#wait(day, Math.min(delayMs * 2, this.#delays.maxMs))
  }
}
