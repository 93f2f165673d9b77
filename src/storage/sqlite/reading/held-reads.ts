/**
 * Keeps a read transaction open across several statements. Beginning and ending one is half of the time of a small statement,
 * so a request that reads many days, and the one after it, share it.
 */
import type { Database } from '../database/database.ts'

export class HeldReads {
  readonly #lastsMs: number
  readonly #held = new Set<Database>()
  #releasing: NodeJS.Timeout | undefined

  /** Maximum duration of a read transaction: until it ends, the WAL cannot be checkpointed and new commits are not seen. */
  constructor(lastsMs: number) {
    this.#lastsMs = lastsMs
  }

  hold(database: Database): void {
    if (this.#held.has(database)) return
    database.hold()
    this.#held.add(database)
    this.#releasing ??= setTimeout(() => this.releaseAll(), this.#lastsMs).unref()
  }

  release(database: Database): void {
    if (this.#held.delete(database)) database.release()
  }

  releaseAll(): void {
    clearTimeout(this.#releasing)
    this.#releasing = undefined
    for (const database of this.#held) database.release()
    this.#held.clear()
  }
}
