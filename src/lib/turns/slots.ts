/** Limits how many run at a time. Others queue, first come, first served, up to a limit. */

export interface SlotLimits {
  readonly runningMax: number
  /** Default: no limit. */
  readonly waitingMax?: number
}

export class Slots {
  readonly #limits: SlotLimits
  readonly #queue = new Set<() => void>()
  #running = 0

  constructor(limits: SlotLimits) {
    this.#limits = limits
  }

  /** A slot, to be disposed of when done. Undefined if the queue is full, or if the signal aborts before a slot is free. */
  async take(signal?: AbortSignal): Promise<Disposable | undefined> {
    if (signal?.aborted) return undefined
    const { runningMax, waitingMax = Infinity } = this.#limits
    if (this.#running < runningMax) {
      this.#running += 1
      return this.#slot()
    }
    if (this.#queue.size >= waitingMax) return undefined
    return (await this.#wait(signal)) ? this.#slot() : undefined
  }

  /** True if a slot was handed over, false if the wait was aborted. */
  #wait(signal: AbortSignal | undefined): Promise<boolean> {
    return new Promise((resolve) => {
      const leave = () => {
        this.#queue.delete(enter)
        resolve(false)
      }
      const enter = () => {
        signal?.removeEventListener('abort', leave)
        resolve(true)
      }
      this.#queue.add(enter)
      signal?.addEventListener('abort', leave, { once: true })
    })
  }

  /** Disposing hands it to the first in the queue, so that a later caller cannot overtake. */
  #slot(): Disposable {
    let isTaken = true
    return {
      [Symbol.dispose]: () => {
        if (!isTaken) return
        isTaken = false
        const [enter] = this.#queue
        if (!enter) {
          this.#running -= 1
          return
        }
        this.#queue.delete(enter)
        enter()
      },
    }
  }
}
