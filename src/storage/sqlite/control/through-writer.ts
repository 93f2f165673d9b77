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

export function openControlStores(control: Database, callWriter: Call): Stores {
  /** Of all stores. */
  const forgets = new Set<() => void>()
  const call: Redirected = { call: callWriter, forgets }
  const { domains, keys, quarantine, secrets, sessions, audit, removals, retention } = createControlStores(control)
  return {
    domains: redirect('domains', domains, call, {
      writes: ['create', 'setActive', 'claimDue', 'releaseClaims', 'saveVerification', 'saveRecheck', 'saveKeys'],
      kept: { findByName: ROWS_KEPT, listNames: NAMES_KEPT },
    }),
    keys: redirect('keys', keys, call, {
      writes: ['createTenant', 'changeQuotas', 'changeTenant', 'createKey', 'changeKey', 'revokeKey', 'recordKeyUse'],
      kept: { findKey: ROWS_KEPT, findTenant: ROWS_KEPT },
    }),
    quarantine: redirect('quarantine', quarantine, call, {
      writes: ['add', 'remove', 'removeNext', 'removeOlderThan'],
      kept: {},
    }),
    secrets: redirect('secrets', secrets, call, { writes: ['replaceGenerations'], kept: {} }),
    sessions: redirect('sessions', sessions, call, { writes: ['saveSessions'], kept: { findSessions: ROWS_KEPT } }),
    audit: redirect('audit', audit, call, { writes: ['add', 'removeOlderThan'], kept: {} }),
    removals: redirect('removals', removals, call, {
      writes: ['removeTenant', 'removeDomain', 'addRecipient', 'save', 'scrub', 'finish'],
      kept: {},
      // Of tenants and domains that are gone, with their keys and sessions.
      forgetsAll: ['removeTenant', 'removeDomain'],
    }),
    retention: redirect('retention', retention, call, { writes: ['save'], kept: {} }),
  }
}

/** On the writing thread. */
export function performControlCall(
  stores: Stores,
  { store, method, values }: ControlCall,
): Promise<unknown> | undefined {
  return (stores[store] as unknown as Record<string, Method>)[method]?.(...values)
}

interface Redirected {
  readonly call: Call
  readonly forgets: Set<() => void>
}

interface Redirection<Store> {
  readonly writes: readonly (keyof Store & string)[]
  /** Writes that change what other stores have cached. */
  readonly forgetsAll?: readonly (keyof Store & string)[]
  /** How many results of each of these methods to cache, by their first argument. */
  readonly kept: Readonly<Partial<Record<keyof Store, number>>>
}

function redirect<Store extends object>(
  store: keyof Stores,
  local: Store,
  { call, forgets }: Redirected,
  { writes, kept, forgetsAll = [] }: Redirection<Store>,
): Store {
  const sizes = Object.entries(kept) as [string, number][]
  const caches = new Map(sizes.map(([name, size]) => [name, new Recent<unknown>(size)]))
  const forget = () => {
    for (const cache of caches.values()) cache.clear()
  }
  forgets.add(forget)
  const forgetAll = () => {
    for (const other of forgets) other()
  }
  const methods = (Object.entries(local) as [string, Method][]).map(([method, read]) => {
    if ((writes as readonly string[]).includes(method)) {
      // Clears the cache after a failure too: it may have occurred after the commit.
      const after = (forgetsAll as readonly string[]).includes(method) ? forgetAll : forget
      return [method, (...values: unknown[]) => call({ kind: 'control', store, method, values }).finally(after)]
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
