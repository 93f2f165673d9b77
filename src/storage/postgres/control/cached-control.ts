/**
 * Control stores whose most frequent reads are kept in memory for at most two seconds. A write of this server drops them at once, a
 * write of another server when its notice arrives; if the notice is lost, they expire.
 */
import type { Domain } from '../../../domains/domain.ts'
import { Recent } from '../../../lib/recent.ts'
import { CONTROL_METHODS, mayHaveWritten } from '../../control-methods.ts'
import type { ControlStore } from '../../storage.ts'
import { KeptNames, type KeptNamesOptions } from './kept-names.ts'

type Method = (...values: unknown[]) => Promise<unknown>
type StoreName = keyof ControlStore

const AGE_MAX_MS = 2000
/** Domains beyond that are read one by one. With keys and records 100,000 take about 450 MB, while they are in use. */
const DOMAINS_KEPT = 100_000
/** What a notice says about a write that changes what several stores keep. */
const ALL_STORES = '*'

export interface CachedControl {
  readonly stores: ControlStore
  /** `about`: what another server passed to `notify`; undefined if its notices may have been lost. */
  forget(about?: string): void
}

export interface CachedControlOptions {
  /** Notifies the other servers of which store was written. */
  readonly notify: (about: string) => void
  /** `domains.findByName` of several names. */
  readonly domains: Pick<KeptNamesOptions<Domain>, 'readAll' | 'readVersions'>
}

export function cacheControl(stores: ControlStore, { notify, domains }: CachedControlOptions): CachedControl {
  const names = Object.keys(CONTROL_METHODS) as StoreName[]
  const caches = new Map(names.map((name) => [name, new StoreCache(stores[name], name)]))
  const keptDomains = new KeptNames({ ageMaxMs: AGE_MAX_MS, sizeMax: DOMAINS_KEPT, ...domains })
  caches.get('domains')?.keepNames('findByName', keptDomains)
  const forget = (about = ALL_STORES) => {
    for (const [name, cache] of caches) if (about === ALL_STORES || about === name) cache.forget()
  }
  const written = (about: string) => {
    forget(about)
    notify(about)
  }
  const cached = Object.fromEntries([...caches].map(([name, cache]) => [name, cache.wrap(written)]))
  return { stores: cached as unknown as ControlStore, forget }
}

interface Kept {
  readonly value: unknown
  readonly sinceMs: number
}

class StoreCache {
  readonly #store: object
  readonly #name: StoreName
  readonly #kept = new Map<string, Recent<Kept>>()
  readonly #keptNames = new Map<string, KeptNames<unknown>>()
  /** Number of times that everything was forgotten: a read that began before must not be kept. */
  #forgotten = 0

  constructor(store: object, name: StoreName) {
    this.#store = store
    this.#name = name
    const sizes = Object.entries(CONTROL_METHODS[name].kept) as [string, number][]
    for (const [method, size] of sizes) this.#kept.set(method, new Recent(size))
  }

  /** Reads of this method are done together. */
  keepNames(method: string, names: KeptNames<unknown>): void {
    this.#keptNames.set(method, names)
  }

  forget(): void {
    this.#forgotten++
    for (const kept of this.#kept.values()) kept.clear()
    for (const names of this.#keptNames.values()) names.forget()
  }

  wrap(written: (about: string) => void): object {
    const { writes, forgetsAll = [] } = CONTROL_METHODS[this.#name]
    const members = Object.entries(this.#store).map(([name, member]) => {
      const names = this.#keptNames.get(name)
      if (names) return [name, (key: string) => names.find(key)]
      const kept = this.#kept.get(name)
      if (kept) return [name, this.#keeping(kept, member as Method)]
      if (!(writes as readonly string[]).includes(name)) return [name, member]
      const about = (forgetsAll as readonly string[]).includes(name) ? ALL_STORES : this.#name
      // After a failure too: it may have occurred after the commit.
      const write = async (...values: unknown[]) => {
        let result: unknown
        try {
          result = await (member as Method)(...values)
        } finally {
          if (mayHaveWritten(this.#name, name, result)) written(about)
        }
        return result
      }
      return [name, write]
    })
    return Object.fromEntries(members)
  }

  /** Only what exists is kept, so that requests for unknown names cannot evict it. */
  #keeping(kept: Recent<Kept>, read: Method): Method {
    return async (key) => {
      const known = kept.find(key as string)
      const nowMs = performance.now()
      if (known && nowMs - known.sinceMs < AGE_MAX_MS) return known.value
      const before = this.#forgotten
      const value = await read(key)
      if (value !== undefined && before === this.#forgotten) kept.keep(key as string, { value, sinceMs: nowMs })
      return value
    }
  }
}
