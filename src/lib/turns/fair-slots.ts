/** Limits how many run at a time. Others queue by key, up to a limit for each key; keys take turns. */

export interface FairSlotLimits {
  readonly runningMax: number
  readonly waitingMaxPerKey: number
}

export class FairSlots {
  readonly #limits: FairSlotLimits
  /** By key, in the order in which the keys get their next turn. */
  readonly #queues = new Map<string, (() => void)[]>()
  #running = 0

  constructor(limits: FairSlotLimits) {
    this.#limits = limits
  }

  /** A slot, to be disposed of once when done. Undefined if the key's queue is full. */
  async take(key: string): Promise<Disposable | undefined> {
    if (this.#running < this.#limits.runningMax) {
      this.#running += 1
      return this.#slot()
    }
    const queue = this.#queues.get(key) ?? []
    if (queue.length >= this.#limits.waitingMaxPerKey) return undefined
    this.#queues.set(key, queue)
    await new Promise<void>((enter) => queue.push(enter))
    return this.#slot()
  }

  /** Disposing hands it to the next key, so that a later caller cannot overtake. */
  #slot(): Disposable {
    return {
      [Symbol.dispose]: () => {
        const [next] = this.#queues
        if (!next) {
          this.#running -= 1
          return
        }
        const [key, queue] = next
        const enter = queue.shift()
        this.#queues.delete(key)
        if (queue.length > 0) this.#queues.set(key, queue)
        enter?.()
      },
    }
  }
}
