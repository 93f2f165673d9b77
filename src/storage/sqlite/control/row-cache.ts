/**
 * Rows that every request needs, kept in memory for as long as the database stands still.
 *
 * Everything is dropped as soon as any connection, of this process or another, has committed something: a key that was
 * revoked on the command line is refused by the very next request.
 */
import type { Database } from '../database/database.ts'

const ENTRIES_MAX = 10_000

export class RowCache<T> {
  readonly #db: Database
  readonly #entriesMax: number
  readonly #rows = new Map<string, T>()
  #version = -1

  constructor(db: Database, entriesMax = ENTRIES_MAX) {
    this.#db = db
    this.#entriesMax = entriesMax
  }

  /** Only what was found is kept, so that asking for things that do not exist cannot push out those that do. */
  find(key: string, load: () => T | undefined): T | undefined {
    // Before the load: if somebody commits in between, the next call sees another version.
    const version = this.#db.dataVersion()
    if (version !== this.#version) {
      this.clear()
      this.#version = version
    }
    const kept = this.#rows.get(key)
    if (kept !== undefined) return kept
    const row = load()
    if (row !== undefined) {
      if (this.#rows.size >= this.#entriesMax) this.clear()
      this.#rows.set(key, row)
    }
    return row
  }

  /** To be called after every write through the same connection: its own commits do not change the version. */
  clear(): void {
    this.#rows.clear()
  }
}
