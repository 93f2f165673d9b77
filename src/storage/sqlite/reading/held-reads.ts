/**
 * Files of which several statements in a row read one and the same state. Taking and leaving it is half of the time of a small
 * statement, so a request that asks many days, and the one after it, take it once.
 */
import type { Database } from '../database/database.ts'

export class HeldReads {
  readonly #lastsMs: number
  readonly #held = new Set<Database>()
  #releasing: NodeJS.Timeout | undefined

  /** Nothing is held for longer: the log beside a file cannot be emptied meanwhile, and what others write is not seen. */
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
