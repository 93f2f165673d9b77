/** What a reader remembers between lines, in the order in which it was last touched, and which of it has changed. */

export class RememberedMap<T> {
  readonly #prefix: string
  readonly #values = new Map<string, T>()
  readonly #changed = new Set<string>()

  /** Takes over the entries whose keys have the prefix. */
  constructor(prefix: string, entries: readonly (readonly [key: string, value: unknown])[]) {
    this.#prefix = prefix
    for (const [key, value] of entries) {
      if (key.startsWith(prefix)) this.#values.set(key.slice(prefix.length), value as T)
    }
  }

  get size(): number {
    return this.#values.size
  }

  get(key: string): T | undefined {
    return this.#values.get(key)
  }

  /** Also called after a change within the value, so that it is noticed. */
  set(key: string, value: T): void {
    this.#values.delete(key)
    this.#values.set(key, value)
    this.#changed.add(key)
  }

  delete(key: string): void {
    if (this.#values.delete(key)) this.#changed.add(key)
  }

  /** Forgets what was not touched for long, the longest first. */
  forgetWhile(isOld: (value: T, size: number) => boolean): void {
    for (const [key, value] of this.#values) {
      if (!isOld(value, this.#values.size)) return
      this.delete(key)
    }
  }

  takeChanges(): readonly (readonly [key: string, value: unknown])[] {
    const changes = [...this.#changed].map((key) => [this.#prefix + key, this.#values.get(key)] as const)
    this.#changed.clear()
    return changes
  }
}
