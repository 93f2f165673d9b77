/** Detects bursts: several links of one message followed within a second, faster than anybody reads. All clicks are marked. */
import type { Hit } from './hit.ts'

/** A burst is complete after this time. */
export const BURST_MS = 1000
const TARGETS_MIN = 3
/** Clicks kept per message; more do not change the result. */
const CLICKS_MAX = 50

interface Click {
  readonly target: string
  readonly timeMs: number
}

export class RecentClicks {
  readonly #clicks = new Map<string, Click[]>()

  note(hit: Hit): void {
    const { target, timeMs } = hit
    if (target === undefined) return
    const key = keyOf(hit)
    const clicks = this.#clicks.get(key) ?? []
    if (clicks.length < CLICKS_MAX) clicks.push({ target, timeMs })
    this.#clicks.set(key, clicks)
  }

  /** Whether the hit is part of a burst of its message. Call it BURST_MS after the hit at the earliest. */
  isInBurst(hit: Hit): boolean {
    const { timeMs } = hit
    const clicks = this.#clicks.get(keyOf(hit)) ?? []
    return clicks.some(({ timeMs: start }) => {
      if (start > timeMs || start < timeMs - BURST_MS) return false
      const within = clicks.filter((click) => click.timeMs >= start && click.timeMs <= start + BURST_MS)
      return new Set(within.map(({ target }) => target)).size >= TARGETS_MIN
    })
  }

  /** Number of messages. */
  get size(): number {
    return this.#clicks.size
  }

  /** In the past, and in the future: the clock may have been set back. */
  forgetFar(nowMs: number, distanceMs: number): void {
    for (const [key, clicks] of this.#clicks) {
      if (clicks.every((click) => Math.abs(nowMs - click.timeMs) > distanceMs)) this.#clicks.delete(key)
    }
  }
}

/** Message ids are chosen by senders, so two domains may use the same one. */
function keyOf({ domain, messageId, recipient }: Hit): string {
  return `${domain}\n${messageId}\n${recipient}`
}
