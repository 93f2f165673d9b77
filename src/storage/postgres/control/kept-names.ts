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
  /** When there are more, those are dropped whose last read is the longest ago: names in use are read again and again. */
  readonly sizeMax: number
  /** Both: those that exist. */
  readonly readAll: (names: readonly string[]) => Promise<ReadonlyMap<string, Versioned<Value>>>
  readonly readVersions: (names: readonly string[]) => Promise<ReadonlyMap<string, string>>
  /** Milliseconds. Default: performance.now. */
  readonly clock?: () => number
}

interface Kept<Value> extends Versioned<Value> {
  readonly sinceMs: number
  /** How often everything had been forgotten before. */
  readonly forgotten: number
  usedAtMs: number
}

/** Names of one statement: its rows are converted without a break. */
const AT_ONCE = 500
/**
 * A name that was not asked for in this many times the age is no longer in use. Longer than it takes to read 100,000 names one by one:
 * otherwise they would be dropped before they are asked for again, and read one by one for ever.
 */
const IDLE_AGES = 30
/** The part that is dropped at once: finding the first key of a map becomes slower with every key that was deleted before it. */
const DROPPED_PART = 0.01

export class KeptNames<Value> {
  readonly #options: KeptNamesOptions<Value>
  readonly #clock: () => number
  /** In the order of their last reads. */
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
  }

  #isExpired({ sinceMs, forgotten }: Kept<Value>): boolean {
    return forgotten < this.#forgotten || this.#clock() - sinceMs >= this.#options.ageMaxMs
  }

  /** This one and others that are in use. Those that nobody has asked for are dropped. */
  #listExpired(first: string): readonly string[] {
    const names = [first]
    let fresh = 0
    for (const [name, kept] of this.#kept) {
      // Reads that overlap may end in another order than they began.
      if (names.length >= AT_ONCE || fresh >= AT_ONCE) break
      if (name === first || this.#reading.has(name)) continue
      if (!this.#isExpired(kept)) fresh++
      else if (this.#clock() - kept.usedAtMs < IDLE_AGES * this.#options.ageMaxMs) names.push(name)
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
    for (const name of names) {
      this.#reading.set(name, reading)
      this.#moveToEnd(name)
    }
    return reading
  }

  /** Names that are being read are not in the way of those that look for the oldest. */
  #moveToEnd(name: string): void {
    const kept = this.#kept.get(name)
    if (kept && this.#kept.delete(name)) this.#kept.set(name, kept)
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
    const { sizeMax } = this.#options
    for (const name of names) {
      const { usedAtMs = sinceMs } = this.#kept.get(name) ?? {}
      this.#kept.delete(name)
      const read = found.get(name)
      if (read === undefined) continue
      if (this.#kept.size >= sizeMax) this.#dropOldest(Math.ceil(sizeMax * DROPPED_PART))
      const { value, version } = read
      this.#kept.set(name, { value, version, sinceMs, forgotten: this.#forgotten, usedAtMs })
    }
  }

  #dropOldest(count: number): void {
    for (const name of this.#kept.keys().take(count)) this.#kept.delete(name)
  }
}
