/** Waits for the next arrival. An arrival while nobody is waiting ends the next wait at once. */
import type { Arrivals } from '../../../events/log/event-log.ts'

export class ArrivalBell implements Disposable {
  readonly #listening: Disposable
  #hasRung = false
  #wake: (() => void) | undefined

  constructor(arrivals: Pick<Arrivals, 'onArrival'>) {
    this.#listening = arrivals.onArrival(() => {
      this.#hasRung = true
      this.#wake?.()
    })
  }

  /** Resolves on the next arrival, when the signal aborts, or after the timeout. */
  async wait(timeoutMs: number, signal: AbortSignal): Promise<void> {
    if (!this.#hasRung && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, timeoutMs)
      const wake = () => resolve()
      this.#wake = wake
      signal.addEventListener('abort', wake, { once: true })
      await promise
      clearTimeout(timer)
      signal.removeEventListener('abort', wake)
      this.#wake = undefined
    }
    this.#hasRung = false
  }

  [Symbol.dispose](): void {
    this.#listening[Symbol.dispose]()
  }
}
