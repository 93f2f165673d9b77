/** A bounded cache that is emptied when it is full. */
export class Recent<T, K = string> {
  readonly #entriesMax: number
  readonly #entries = new Map<K, T>()

  constructor(entriesMax: number) {
    this.#entriesMax = entriesMax
  }

  find(key: K): T | undefined {
    return this.#entries.get(key)
  }

  keep(key: K, value: T): void {
    if (this.#entries.size >= this.#entriesMax) this.#entries.clear()
    this.#entries.set(key, value)
  }

  findOrKeep(key: K, make: (key: K) => T): T {
    const known = this.#entries.get(key)
    if (known !== undefined) return known
    const made = make(key)
    this.keep(key, made)
    return made
  }

  clear(): void {
    this.#entries.clear()
  }
}
