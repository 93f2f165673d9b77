/** Rate limits by key: a token bucket for each, refilled over time. */

const MINUTE_MS = 60_000
/** From this many on, full buckets are forgotten. */
const KEYS_MAX = 10_000

export interface TokenRate {
  /** Size of a full bucket. */
  readonly burst: number
  /** Tokens refilled per minute. */
  readonly perMinute: number
}

export class TokenBuckets {
  readonly #everyMs: number
  readonly #burstMs: number
  /** When each bucket will be full again, which determines its level. */
  readonly #fullAtMs = new Map<string, number>()

  constructor({ burst, perMinute }: TokenRate) {
    this.#everyMs = MINUTE_MS / perMinute
    this.#burstMs = burst * this.#everyMs
  }

  /** Takes a token. False if there is none. */
  take(key: string, nowMs: number): boolean {
    // Clamped between full and empty, in case the clock was set back.
    const fullAtMs = Math.min(Math.max(this.#fullAtMs.get(key) ?? 0, nowMs), nowMs + this.#burstMs)
    const hasToken = fullAtMs + this.#everyMs - nowMs <= this.#burstMs
    if (this.#fullAtMs.size >= KEYS_MAX) this.#forgetFull(nowMs)
    this.#fullAtMs.set(key, hasToken ? fullAtMs + this.#everyMs : fullAtMs)
    return hasToken
  }

  /** Returns a token for an attempt that does not count. */
  giveBack(key: string): void {
    const fullAtMs = this.#fullAtMs.get(key)
    if (fullAtMs !== undefined) this.#fullAtMs.set(key, fullAtMs - this.#everyMs)
  }

  #forgetFull(nowMs: number): void {
    for (const [key, fullAtMs] of this.#fullAtMs) if (fullAtMs <= nowMs) this.#fullAtMs.delete(key)
  }
}
