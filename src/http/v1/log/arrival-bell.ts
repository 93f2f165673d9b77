/** Waits for the next arrival. An arrival while nobody is waiting ends the next wait at once. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Arrivals } from '../../../events/log/event-log.ts'

export class ArrivalBell implements Disposable {
  readonly #listening: Disposable
  #arrival = new AbortController()

  /** Aborting the signal counts as an arrival. */
  constructor(arrivals: Pick<Arrivals, 'onArrival'>, signal: AbortSignal) {
    const ring = () => this.#arrival.abort()
    this.#listening = arrivals.onArrival(ring)
    signal.addEventListener('abort', ring)
  }

  /** Resolves on the next arrival or after the timeout. */
  async wait(timeoutMs: number): Promise<void> {
    await pause(timeoutMs, undefined, { signal: this.#arrival.signal }).catch(() => undefined)
    this.#arrival = new AbortController()
  }

  [Symbol.dispose](): void {
    this.#listening[Symbol.dispose]()
  }
}
