/** When each key was last used, collected in memory and written in batches, so that authentication never waits for a write. */
import type { KeyStore } from './key-store.ts'

export class KeyUses {
  readonly #keys: Pick<KeyStore, 'recordKeyUse'>
  #lastUseMs = new Map<string, number>()

  constructor(keys: Pick<KeyStore, 'recordKeyUse'>) {
    this.#keys = keys
  }

  /** Only for keys that exist: the map has an entry per key id. */
  record(keyId: string, nowMs: number): void {
    this.#lastUseMs.set(keyId, Math.max(nowMs, this.#lastUseMs.get(keyId) ?? nowMs))
  }

  /** Writes the uses since the last flush. If the store fails, they stay for the next one. */
  async flush(): Promise<void> {
    if (this.#lastUseMs.size === 0) return
    const batch = this.#lastUseMs
    this.#lastUseMs = new Map()
    try {
      await this.#keys.recordKeyUse(batch)
    } catch (error) {
      for (const [keyId, timeMs] of batch) this.record(keyId, timeMs)
      throw error
    }
  }
}
