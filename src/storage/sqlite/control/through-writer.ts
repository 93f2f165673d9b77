/** Control stores whose reads are answered on this thread, some of them from memory, and whose writes go to the writing thread. */
import { Recent } from '../../../lib/recent.ts'
import { CONTROL_METHODS, mayHaveWritten } from '../../control-methods.ts'
import type { Database } from '../database/database.ts'
import { isStorageFailure, readingInterrupted } from '../database/storage-failure.ts'
import type { ControlCall } from '../writing/writer-protocol.ts'
import { createControlStores } from './control-stores.ts'

type Stores = ReturnType<typeof createControlStores>
type Method = (...values: unknown[]) => Promise<unknown>
type Call = (call: ControlCall) => Promise<unknown>

export function openControlStores(control: Database, callWriter: Call): Stores {
  /** Of all stores. */
  const forgets = new Set<() => void>()
  const call: Redirected = { call: callWriter, forgets }
  const local = createControlStores(control)
  const names = Object.keys(local) as (keyof Stores)[]
  return Object.fromEntries(names.map((name) => [name, redirect(name, local[name], call)])) as unknown as Stores
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

function redirect(store: keyof Stores, local: object, { call, forgets }: Redirected): object {
  const { writes, kept, forgetsAll = [] } = CONTROL_METHODS[store]
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
      const write = async (...values: unknown[]) => {
        let result: unknown
        try {
          result = await call({ kind: 'control', store, method, values })
        } finally {
          if (mayHaveWritten(store, method, result)) after()
        }
        return result
      }
      return [method, write]
    }
    const cache = caches.get(method)
    return [method, cache ? keeping(cache, refusing(read)) : refusing(read)]
  })
  return Object.fromEntries(methods)
}

/** A disk that does not return the control data is not a bug: the caller may repeat the request. */
function refusing(read: Method): Method {
  return (...values) => {
    const result = read(...values)
    return result instanceof Promise ? result.catch(refuse) : result
  }
}

function refuse(error: unknown): never {
  throw isStorageFailure(error) ? readingInterrupted(error) : error
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
