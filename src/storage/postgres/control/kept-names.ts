/**
 * What was found by name, kept in memory. When the first of the names that are in use has expired, the versions of all of them are read in one
 * statement, and only those that have changed are read again: thousands of domains that receive events would be as many statements every few
 * seconds otherwise.
 */

export interface Versioned<Value> {
  readonly value: Value
  /** Another one after every change. */
  readonly version: string
}

export interface KeptNamesOptions<Value> {
  readonly ageMaxMs: number
  /** It is emptied when it is full. */
  readonly sizeMax: number
  /** Both: those that exist. */
  readonly readAll: (names: readonly string[]) => Promise<ReadonlyMap<string, Versioned<Value>>>
  readonly readVersions: (names: readonly string[]) => Promise<ReadonlyMap<string, string>>
  /** Milliseconds. Default: performance.now. */
  readonly clock?: () => number
}

interface Kept<Value> extends Versioned<Value> {
  readonly sinceMs: number
  usedAtMs: number
}

/** Names of one statement: its rows are converted without a break. */
const AT_ONCE = 500
/** A name that was not asked for in this many times the age is no longer in use. */
const IDLE_AGES = 5

export class KeptNames<Value> {
  readonly #options: KeptNamesOptions<Value>
  readonly #clock: () => number
  readonly #kept = new Map<string, Kept<Value>>()
  /** What is being read, by name. */
  readonly #reading = new Map<string, Promise<ReadonlyMap<string, Versioned<Value>>>>()
  /** Number of times that everything was forgotten: a read that began before must not be kept. */
  #forgotten = 0

  constructor(options: KeptNamesOptions<Value>) {
    this.#options = options
    this.#clock = options.clock ?? (() => performance.now())
  }

  async find(name: string): Promise<Value | undefined> {
    const known = this.#kept.get(name)
    if (known) {
      known.usedAtMs = this.#clock()
      if (!this.#isExpired(known)) return known.value
    }
    const reading = this.#reading.get(name) ?? this.#read(known ? this.#listExpired(name) : [name])
    return (await reading).get(name)?.value
  }

  /** The names stay: those in use are read again together. */
  forget(): void {
    this.#forgotten++
    this.#reading.clear()
    for (const [name, kept] of this.#kept) this.#kept.set(name, { ...kept, sinceMs: -Infinity })
  }

  #isExpired({ sinceMs }: Kept<Value>): boolean {
    return this.#clock() - sinceMs >= this.#options.ageMaxMs
  }

  /** This one and others that are in use. Those that nobody has asked for are dropped. */
  #listExpired(first: string): readonly string[] {
    const names = [first]
    for (const [name, kept] of this.#kept) {
      if (names.length >= AT_ONCE) break
      if (name === first || this.#reading.has(name) || !this.#isExpired(kept)) continue
      if (this.#clock() - kept.usedAtMs < IDLE_AGES * this.#options.ageMaxMs) names.push(name)
      else this.#kept.delete(name)
    }
    return names
  }

  #read(names: readonly string[]): Promise<ReadonlyMap<string, Versioned<Value>>> {
    const sinceMs = this.#clock()
    const before = this.#forgotten
    const reading = this.#readChanged(names)
      .then((found) => {
        if (before === this.#forgotten) this.#keep(names, found, sinceMs)
        return found
      })
      .finally(() => {
        for (const name of names) if (this.#reading.get(name) === reading) this.#reading.delete(name)
      })
    for (const name of names) this.#reading.set(name, reading)
    return reading
  }

  async #readChanged(names: readonly string[]): Promise<ReadonlyMap<string, Versioned<Value>>> {
    const { readAll, readVersions } = this.#options
    const known = new Map(
      names.flatMap((name) => (this.#kept.has(name) ? [[name, this.#kept.get(name)] as const] : [])),
    )
    if (known.size === 0) return readAll(names)
    const versions = await readVersions(names)
    const found = new Map<string, Versioned<Value>>()
    const changed: string[] = []
    for (const [name, version] of versions) {
      const kept = known.get(name)
      if (kept?.version === version) found.set(name, kept)
      else changed.push(name)
    }
    for (const [name, read] of changed.length > 0 ? await readAll(changed) : []) found.set(name, read)
    return found
  }

  /** Only what exists is kept, so that requests for unknown names cannot evict it. */
  #keep(names: readonly string[], found: ReadonlyMap<string, Versioned<Value>>, sinceMs: number): void {
    for (const name of names) {
      const read = found.get(name)
      if (read === undefined) {
        this.#kept.delete(name)
        continue
      }
      if (!this.#kept.has(name) && this.#kept.size >= this.#options.sizeMax) this.#kept.clear()
      const { value, version } = read
      this.#kept.set(name, { value, version, sinceMs, usedAtMs: this.#kept.get(name)?.usedAtMs ?? sinceMs })
    }
  }
}
