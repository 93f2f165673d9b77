/** Rows that every request needs, kept in memory until something of their kind is written. */

const ENTRIES_MAX = 10_000

export class RowCache<T> {
  readonly #entriesMax: number
  readonly #rows = new Map<string, T>()

  constructor(entriesMax = ENTRIES_MAX) {
    this.#entriesMax = entriesMax
  }

  /** Only found rows are kept, so that asking for things that do not exist cannot push out those that do. */
  find(key: string, load: () => T | undefined): T | undefined {
    const kept = this.#rows.get(key)
    if (kept !== undefined) return kept
    const row = load()
    if (row !== undefined) {
      if (this.#rows.size >= this.#entriesMax) this.clear()
      this.#rows.set(key, row)
    }
    return row
  }

  /** To be called after every write, on whichever connection it was made. */
  clear(): void {
    this.#rows.clear()
  }
}
