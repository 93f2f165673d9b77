/** Rate limits by key: a token bucket for each, refilled over time. */

const MINUTE_MS = 60_000
/** From this many on, full buckets are forgotten; if that is not enough, a tenth of the others, the oldest first. */
const KEYS_MAX = 10_000

/** Of a token: sums of fractions of milliseconds are inexact. */
const ROUNDING = 1e-6

export interface TokenRate {
  /** Size of a full bucket. */
  readonly burst: number
  /** Tokens refilled per minute. */
  readonly perMinute: number
}

/** What taking a token has led to. */
export interface Draw {
  readonly isTaken: boolean
  /** Whole tokens that are left. */
  readonly left: number
  /** Until there is a token again; 0 if there is one. */
  readonly nextInMs: number
  readonly fullInMs: number
}

export class TokenBuckets {
  readonly #everyMs: number
  readonly #burstMs: number
  /** Times are counted from the first, for precision. */
  #originMs: number | undefined
  /** When each bucket will be full again, which determines its level. */
  readonly #fullAtMs = new Map<string, number>()

  constructor({ burst, perMinute }: TokenRate) {
    this.#everyMs = MINUTE_MS / perMinute
    this.#burstMs = burst * this.#everyMs
  }

  /** Takes a token. False if there is none. */
  take(key: string, nowMs: number): boolean {
    return this.draw(key, nowMs).isTaken
  }

  /** Takes a token if there is one. */
  draw(key: string, timeMs: number): Draw {
    this.#originMs ??= timeMs
    const nowMs = timeMs - this.#originMs
    // Clamped between full and empty, in case the clock was set back.
    const fullAtMs = Math.min(Math.max(this.#fullAtMs.get(key) ?? nowMs, nowMs), nowMs + this.#burstMs)
    const levelBefore = (this.#burstMs - (fullAtMs - nowMs)) / this.#everyMs
    const isTaken = levelBefore + ROUNDING >= 1
    if (this.#fullAtMs.size >= KEYS_MAX && !this.#fullAtMs.has(key)) this.#makeRoom(nowMs)
    const fullInMs = fullAtMs - nowMs + (isTaken ? this.#everyMs : 0)
    this.#fullAtMs.set(key, nowMs + fullInMs)
    const left = Math.max(0, Math.floor((this.#burstMs - fullInMs) / this.#everyMs + ROUNDING))
    const nextInMs = left > 0 ? 0 : fullInMs + this.#everyMs - this.#burstMs
    return { isTaken, left, nextInMs, fullInMs }
  }

  /** Returns a token for an attempt that does not count. */
  giveBack(key: string): void {
    const fullAtMs = this.#fullAtMs.get(key)
    if (fullAtMs !== undefined) this.#fullAtMs.set(key, fullAtMs - this.#everyMs)
  }

  #makeRoom(nowMs: number): void {
    for (const [key, fullAtMs] of this.#fullAtMs) if (fullAtMs <= nowMs) this.#fullAtMs.delete(key)
    if (this.#fullAtMs.size < KEYS_MAX) return
    for (const key of this.#fullAtMs.keys().take(KEYS_MAX / 10)) this.#fullAtMs.delete(key)
  }
}
