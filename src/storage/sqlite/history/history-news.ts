/** What the serving thread knows about the history index: how much of it is built, and who wants to know. */
import type { HistoryProgress } from '../../storage.ts'
import type { HistoryNotice } from './history-notice.ts'

/** If the disk damages it again and again, it is not built again and again. */
const DISCARD_EVERY_MS = 60_000

export class HistoryNews {
  readonly #listeners = new Set<(progress: HistoryProgress) => void>()
  #remaining: number | undefined
  #discardedMs = Number.NEGATIVE_INFINITY

  /** As of the last report. */
  get remaining(): number | undefined {
    return this.#remaining
  }

  watch(onProgress: (progress: HistoryProgress) => void): Disposable {
    this.#listeners.add(onProgress)
    return { [Symbol.dispose]: () => void this.#listeners.delete(onProgress) }
  }

  publish(progress: HistoryNotice): void {
    if ('remaining' in progress) this.#remaining = progress.remaining
    for (const listener of this.#listeners) listener(progress)
  }

  /** Every reading thread finds the damage. */
  discard(discard: () => Promise<unknown>): void {
    const nowMs = performance.now()
    if (nowMs - this.#discardedMs < DISCARD_EVERY_MS) return
    this.#discardedMs = nowMs
    // If it fails, readers go on without it.
    discard().catch(() => undefined)
  }
}
