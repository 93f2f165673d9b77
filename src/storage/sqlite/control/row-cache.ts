/** Rows that every request needs, kept in memory until the next write of that kind. */

const ENTRIES_MAX = 10_000

export class RowCache<T> {
  readonly #entriesMax: number
  readonly #rows = new Map<string, T>()

  constructor(entriesMax = ENTRIES_MAX) {
    this.#entriesMax = entriesMax
  }

  /** Only rows that exist are kept, so that requests for others cannot push them out. */
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
