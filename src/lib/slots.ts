/** At most so many at a time; a bounded number waits in line, first come first served. */

export interface SlotLimits {
  readonly runningMax: number
  readonly waitingMax: number
}

export class Slots {
  readonly #limits: SlotLimits
  readonly #line = new Set<() => void>()
  #running = 0

  constructor(limits: SlotLimits) {
    this.#limits = limits
  }

  /** A slot, to be disposed of when done. Undefined when the line is full, or when the signal aborts before it is one's turn. */
  async take(signal: AbortSignal): Promise<Disposable | undefined> {
    if (signal.aborted) return undefined
    if (this.#running < this.#limits.runningMax) {
      this.#running += 1
      return this.#slot()
    }
    if (this.#line.size >= this.#limits.waitingMax) return undefined
    return (await this.#wait(signal)) ? this.#slot() : undefined
  }

  /** True when a slot was handed over, false when the wait was ended. */
  #wait(signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const leave = () => {
        this.#line.delete(enter)
        resolve(false)
      }
      const enter = () => {
        signal.removeEventListener('abort', leave)
        resolve(true)
      }
      this.#line.add(enter)
      signal.addEventListener('abort', leave, { once: true })
    })
  }

  /** Passed on to the first in line, so that nobody who comes later can be faster. */
  #slot(): Disposable {
    let isTaken = true
    return {
      [Symbol.dispose]: () => {
        if (!isTaken) return
        isTaken = false
        const [enter] = this.#line
        if (!enter) {
          this.#running -= 1
          return
        }
        this.#line.delete(enter)
        enter()
      },
    }
  }
}
