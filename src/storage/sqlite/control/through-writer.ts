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
    domains: redirect(domains, ['create', 'setActive', 'saveVerification', 'saveRecheck', 'saveKeys'], {
      store: 'domains',
      call,
      onWritten: () => domains.forget(),
    }),
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

function redirect<Store extends object>(
  local: Store,
  writes: readonly (keyof Store & string)[],
  { store, call, onWritten }: Redirection,
): Store {
  const redirected = writes.map((method) => [
    method,
    (...values: unknown[]) => call({ kind: 'control', store, method, values }).finally(onWritten),
  ])
  return Object.assign(local, Object.fromEntries(redirected))
}
