/** Limits on processor time by key: what was spent is charged afterwards, and a key that is overdrawn has to wait. */

const MINUTE_MS = 60_000
/** The key that was charged longest ago is forgotten first. */
const KEYS_MAX = 10_000

export interface WorkRate {
  /** What an idle key may spend at once, in milliseconds. */
  readonly burstMs: number
  /** What it may spend per minute in the long run. */
  readonly perMinuteMs: number
}

export class WorkBudgets {
  readonly #rate: WorkRate
  readonly #spent = new Map<string, { readonly ms: number; readonly atMs: number }>()

  constructor(rate: WorkRate) {
    this.#rate = rate
  }

  charge(key: string, ms: number, nowMs: number): void {
    const spent = this.spentMs(key, nowMs) + ms
    this.#spent.delete(key)
    this.#spent.set(key, { ms: spent, atMs: nowMs })
    const [oldest] = this.#spent.keys()
    if (this.#spent.size > KEYS_MAX && oldest !== undefined) this.#spent.delete(oldest)
  }

  /** What the key has spent and not regained since. */
  spentMs(key: string, nowMs: number): number {
    const spent = this.#spent.get(key)
    if (!spent) return 0
    // If the clock was set back, nothing is regained until the next charge.
    const regained = (Math.max(0, nowMs - spent.atMs) * this.#rate.perMinuteMs) / MINUTE_MS
    return Math.max(0, spent.ms - regained)
  }

  isSpent(key: string, nowMs: number): boolean {
    return this.spentMs(key, nowMs) >= this.#rate.burstMs
  }

  /** When the key may continue, in whole seconds. */
  waitSeconds(key: string, nowMs: number): number {
    const excessMs = Math.max(0, this.spentMs(key, nowMs) - this.#rate.burstMs)
    return Math.ceil((excessMs / this.#rate.perMinuteMs) * 60) + 1
  }
}
