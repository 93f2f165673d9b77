/** Until when something has to be done. */
import { AppError } from '../../../lib/app-error.ts'

export class Deadline {
  readonly #at: number

  constructor(ms: number) {
    this.#at = performance.now() + ms
  }

  /** Whole milliseconds that are left, at least one. */
  get leftMs(): number {
    return Math.max(1, Math.round(this.#at - performance.now()))
  }

  get hasPassed(): boolean {
    return performance.now() >= this.#at
  }

  /** Gives `work` a signal that ends it. Rejects with AppError `storage_unavailable` when it was ended. */
  async run<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const signal = AbortSignal.timeout(this.leftMs)
    try {
      return await work(signal)
    } catch (error) {
      if (!signal.aborted || error instanceof AppError) throw error
      throw new AppError(
        'storage_unavailable',
        'The event store did not answer in time. Send the same request again later; nothing is stored twice.',
        { cause: error },
      )
    }
  }
}
