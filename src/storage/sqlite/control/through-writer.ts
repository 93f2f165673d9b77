/** Control stores whose reads are answered on this thread, some of them from memory, and whose writes go to the writing thread. */
import { Recent } from '../../../lib/recent.ts'
import type { Database } from '../database/database.ts'
import type { ControlCall } from '../writing/writer-protocol.ts'
import { createControlStores } from './control-database.ts'

type Stores = ReturnType<typeof createControlStores>
type Method = (...values: unknown[]) => Promise<unknown>
type Call = (call: ControlCall) => Promise<unknown>

/** Rows that every request needs are kept until the next write to their store. */
const ROWS_KEPT = 10_000
/** Tenants whose list of domain names is cached; it may be long. */
const NAMES_KEPT = 100

export function openControlStores(control: Database, call: Call): Stores {
  const { domains, keys, quarantine, secrets, sessions, audit } = createControlStores(control)
  return {
    domains: redirect('domains', domains, call, {
      writes: ['create', 'setActive', 'claimDue', 'releaseClaims', 'saveVerification', 'saveRecheck', 'saveKeys'],
      kept: { findByName: ROWS_KEPT, listNames: NAMES_KEPT },
    }),
    keys: redirect('keys', keys, call, {
      writes: ['createTenant', 'changeQuotas', 'createKey', 'changeKey', 'revokeKey', 'recordKeyUse'],
      kept: { findKey: ROWS_KEPT, findTenant: ROWS_KEPT },
    }),
    quarantine: redirect('quarantine', quarantine, call, {
      writes: ['add', 'remove', 'removeNext', 'removeOlderThan'],
      kept: {},
    }),
    secrets: redirect('secrets', secrets, call, { writes: ['replaceGenerations'], kept: {} }),
    sessions: redirect('sessions', sessions, call, { writes: ['saveSessions'], kept: { findSessions: ROWS_KEPT } }),
    audit: redirect('audit', audit, call, { writes: ['add', 'removeOlderThan'], kept: {} }),
  }
}

/** On the writing thread. */
export function performControlCall(
  stores: Stores,
  { store, method, values }: ControlCall,
): Promise<unknown> | undefined {
  return (stores[store] as unknown as Record<string, Method>)[method]?.(...values)
}

interface Redirection<Store> {
  readonly writes: readonly (keyof Store & string)[]
  /** How many results of each of these methods to cache, by their first argument. */
  readonly kept: Readonly<Partial<Record<keyof Store, number>>>
}

function redirect<Store extends object>(
  store: keyof Stores,
  local: Store,
  call: Call,
  { writes, kept }: Redirection<Store>,
): Store {
  const sizes = Object.entries(kept) as [string, number][]
  const caches = new Map(sizes.map(([name, size]) => [name, new Recent<unknown>(size)]))
  const forget = () => {
    for (const cache of caches.values()) cache.clear()
  }
  const methods = (Object.entries(local) as [string, Method][]).map(([method, read]) => {
    if ((writes as readonly string[]).includes(method)) {
      // Clears the cache after a failure too: it may have occurred after the commit.
      return [method, (...values: unknown[]) => call({ kind: 'control', store, method, values }).finally(forget)]
    }
    const cache = caches.get(method)
    return [method, cache ? keeping(cache, read) : read]
  })
  return Object.fromEntries(methods)
}

/** Caches only what exists, so that requests for unknown names cannot evict it. */
function keeping(cache: Recent<unknown>, read: (key: string) => Promise<unknown>): (key: string) => Promise<unknown> {
  return async (key) => {
    const kept = cache.find(key)
    if (kept !== undefined) return kept
    const found = await read(key)
    if (found !== undefined) cache.keep(key, found)
    return found
  }
}
