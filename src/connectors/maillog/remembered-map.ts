/** State that a reader keeps between lines, least recently used first, with a record of what changed. */

export class RememberedMap<T> {
  readonly #prefix: string
  readonly #values = new Map<string, T>()
  readonly #changed = new Set<string>()

  /** Restores the entries whose keys have the prefix. */
  constructor(prefix: string, entries: readonly (readonly [key: string, value: unknown])[]) {
    this.#prefix = prefix
    for (const [key, value] of entries) {
      if (key.startsWith(prefix)) this.#values.set(key.slice(prefix.length), value as T)
    }
  }

  get(key: string): T | undefined {
    return this.#values.get(key)
  }

  list(): readonly T[] {
    return [...this.#values.values()]
  }

  /** Must also be called after a value was modified in place. */
  set(key: string, value: T): void {
    this.#values.delete(key)
    this.#values.set(key, value)
    this.#changed.add(key)
  }

  delete(key: string): void {
    if (this.#values.delete(key)) this.#changed.add(key)
  }

  keys(): IterableIterator<string> {
    return this.#values.keys()
  }

  /** Removes entries from the least recently used on, while they are old. */
  forgetWhile(isOld: (value: T, size: number) => boolean, onForgotten?: (key: string) => void): void {
    for (const [key, value] of this.#values) {
      if (!isOld(value, this.#values.size)) return
      this.delete(key)
      onForgotten?.(key)
    }
  }

  takeChanges(): readonly (readonly [key: string, value: unknown])[] {
    const changes = [...this.#changed].map((key) => [this.#prefix + key, this.#values.get(key)] as const)
    this.#changed.clear()
    return changes
  }
}
