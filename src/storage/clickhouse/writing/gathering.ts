/**
 * When the next group begins. Storing a group costs ClickHouse nearly the same for one event as for thousands, and senders that were just
 * answered usually send again: if fewer events wait than were just stored, the others get a moment to arrive.
 */

/** Of the time that the last group took. */
const PART = 0.5
const MAX_MS = 200

export class Gathering {
  #onArrival: (() => void) | undefined

  /** Something has arrived. */
  notify(): void {
    this.#onArrival?.()
  }

  /** Resolves when there is enough, or when it is not worth waiting any longer. `tookMs`: the group before. */
  async until(isEnough: () => boolean, tookMs: number): Promise<void> {
    if (isEnough()) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, Math.min(MAX_MS, tookMs * PART))
    this.#onArrival = () => {
      if (isEnough()) resolve()
    }
    await promise
    clearTimeout(timer)
    this.#onArrival = undefined
  }
}
