/** Control stores whose reads are answered on this thread and whose writes go to the writing thread. */
import type { ControlStore } from '../../storage.ts'
import type { Database } from '../database/database.ts'
import type { WriterCall } from '../writing/writer-protocol.ts'
import { SqliteDomainStore } from './sqlite-domain-store.ts'
import { SqliteKeyStore } from './sqlite-key-store.ts'
import { SqliteQuarantineStore } from './sqlite-quarantine-store.ts'

type StoreName = Exclude<keyof ControlStore, 'openSecret'>
type Call = (call: WriterCall) => Promise<unknown>

export function openControlStores(control: Database, call: Call): Pick<ControlStore, StoreName> {
  const domains = new SqliteDomainStore(control)
  const keys = new SqliteKeyStore(control)
  return {
    domains: redirect(
      domains,
      ['create', 'setActive', 'claimDue', 'releaseClaims', 'saveVerification', 'saveRecheck', 'saveKeys'],
      {
        store: 'domains',
        call,
        onWritten: () => domains.forget(),
      },
    ),
    keys: redirect(keys, ['createTenant', 'createKey', 'revokeKey', 'recordKeyUse'], {
      store: 'keys',
      call,
      onWritten: () => keys.forget(),
    }),
    quarantine: redirect(new SqliteQuarantineStore(control), ['add', 'remove', 'removeAll', 'removeOlderThan'], {
      store: 'quarantine',
      call,
      onWritten: () => undefined,
    }),
  }
}

interface Redirection {
  readonly store: StoreName
  readonly call: Call
  /** Also after a failure, which may have come after the commit. */
  readonly onWritten: () => void
}

/** A plain object of the store's methods, as the port is one. */
function redirect<Store extends object>(
  local: Store,
  writes: readonly (keyof Store & string)[],
  { store, call, onWritten }: Redirection,
): Store {
  const write =
    (method: string) =>
    (...values: unknown[]) =>
      call({ kind: 'control', store, method, values }).finally(onWritten)
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(local)) as (keyof Store & string)[]
  const methods = names.map((name) => {
    const method = local[name] as (...values: unknown[]) => unknown
    return [name, writes.includes(name) ? write(name) : method.bind(local)]
  })
  return Object.fromEntries(methods) as Store
}
