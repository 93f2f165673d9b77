/** How often each of many may do something: a bucket of tokens for each, which fills up again with time. */

const MINUTE_MS = 60_000
/** With this many at once, those whose buckets are full again are forgotten. */
const KEYS_MAX = 10_000

export interface TokenRate {
  /** How many may be taken at once from a full bucket. */
  readonly burst: number
  /** How many come back in a minute. */
  readonly perMinute: number
}

export class TokenBuckets {
  readonly #everyMs: number
  readonly #burstMs: number
  /** When each bucket will be full again: all there is to know about it. */
  readonly #fullAtMs = new Map<string, number>()

  constructor({ burst, perMinute }: TokenRate) {
    this.#everyMs = MINUTE_MS / perMinute
    this.#burstMs = burst * this.#everyMs
  }

  /** Takes a token. False when there is none. */
  take(key: string, nowMs: number): boolean {
    // Never fuller than full, and never emptier than empty, should the clock have been set back.
    const fullAtMs = Math.min(Math.max(this.#fullAtMs.get(key) ?? 0, nowMs), nowMs + this.#burstMs)
    const hasToken = fullAtMs + this.#everyMs - nowMs <= this.#burstMs
    if (this.#fullAtMs.size >= KEYS_MAX) this.#forgetFull(nowMs)
    this.#fullAtMs.set(key, hasToken ? fullAtMs + this.#everyMs : fullAtMs)
    return hasToken
  }

  /** Puts a token back that was taken for what turned out not to count. */
  giveBack(key: string): void {
    const fullAtMs = this.#fullAtMs.get(key)
    if (fullAtMs !== undefined) this.#fullAtMs.set(key, fullAtMs - this.#everyMs)
  }

  #forgetFull(nowMs: number): void {
    for (const [key, fullAtMs] of this.#fullAtMs) if (fullAtMs <= nowMs) this.#fullAtMs.delete(key)
  }
}
