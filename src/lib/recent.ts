/** Remembers what was worked out lately, so that it need not be done again: bounded, and forgets all when it is full. */
export class Recent<T> {
  readonly #entriesMax: number
  readonly #entries = new Map<string, T>()

  constructor(entriesMax: number) {
    this.#entriesMax = entriesMax
  }

  find(key: string): T | undefined {
    return this.#entries.get(key)
  }

  keep(key: string, value: T): void {
    if (this.#entries.size >= this.#entriesMax) this.#entries.clear()
    this.#entries.set(key, value)
  }
}
