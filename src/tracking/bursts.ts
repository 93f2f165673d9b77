/** Several links of one message followed within a second: nobody reads as fast. All of them are marked, the first one too. */
import type { Hit } from './hit.ts'

/** After this, everything that belongs to a burst has come. */
export const BURST_MS = 1000
const TARGETS_MIN = 3
/** Clicks of one message that are remembered; more do not change the verdict. */
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

  /** Whether the hit lies within a burst of its message. Asked once the second around it is over. */
  isInBurst(hit: Hit): boolean {
    const { timeMs } = hit
    const clicks = this.#clicks.get(keyOf(hit)) ?? []
    return clicks.some(({ timeMs: start }) => {
      if (start > timeMs || start < timeMs - BURST_MS) return false
      const within = clicks.filter((click) => click.timeMs >= start && click.timeMs <= start + BURST_MS)
      return new Set(within.map(({ target }) => target)).size >= TARGETS_MIN
    })
  }

  /** Messages that are remembered. */
  get size(): number {
    return this.#clicks.size
  }

  forgetBefore(timeMs: number): void {
    for (const [key, clicks] of this.#clicks) {
      if (clicks.every((click) => click.timeMs < timeMs)) this.#clicks.delete(key)
    }
  }
}

/** Senders choose their ids, so two domains may have the same. */
function keyOf({ domain, messageId, recipient }: Hit): string {
  return `${domain}\n${messageId}\n${recipient}`
}
