/** The same limit for each key. Keys without callers are forgotten. */
import { type SlotLimits, Slots } from './slots.ts'

interface Entry {
  readonly slots: Slots
  callers: number
}

export class SlotsByKey {
  readonly #limits: SlotLimits
  readonly #entries = new Map<string, Entry>()

  constructor(limits: SlotLimits) {
    this.#limits = limits
  }

  /** How many keys have callers. */
  get size(): number {
    return this.#entries.size
  }

  /** As `Slots.take`, among the callers with the same key. */
  async take(key: string, signal?: AbortSignal): Promise<Disposable | undefined> {
    const entry = this.#entries.get(key) ?? { slots: new Slots(this.#limits), callers: 0 }
    this.#entries.set(key, entry)
    entry.callers += 1
    let isLeaving = false
    const leave = (): void => {
      if (isLeaving) return
      isLeaving = true
      entry.callers -= 1
      if (entry.callers === 0) this.#entries.delete(key)
    }
    const slot = await entry.slots.take(signal)
    if (!slot) {
      leave()
      return undefined
    }
    return {
      [Symbol.dispose]: () => {
        slot[Symbol.dispose]()
        leave()
      },
    }
  }
}
