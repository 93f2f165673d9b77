/** Tenants, keys, domains and quarantine in a temporary folder that is deleted when the test ends. */
import type { AuditStore } from '../../../src/audit/audit-store.ts'
import type { DomainStore } from '../../../src/domains/domain-store.ts'
import { QUARANTINE_BYTES_DEFAULT } from '../../../src/events/ingest/quarantine-room.ts'
import type { QuarantineStore } from '../../../src/events/ingest/quarantine-store.ts'
import { openControlDatabase } from '../../../src/storage/sqlite/control/control-database.ts'
import { createControlStores } from '../../../src/storage/sqlite/control/control-stores.ts'
import * as throughWriter from '../../../src/storage/sqlite/control/through-writer.ts'
import type { Database } from '../../../src/storage/sqlite/database/database.ts'
import type { KeyStore } from '../../../src/tenants/key-store.ts'
import { openTemporaryFolder } from '../temporary-folder.ts'

export interface ControlStores {
  readonly folder: string
  readonly db: Database
  readonly keys: KeyStore
  readonly domains: DomainStore
  readonly quarantine: QuarantineStore
  readonly audit: AuditStore
  close(): void
}

/** Without a writing thread: writes are made on the same connection. */
export function openControlStores(bytesMax = QUARANTINE_BYTES_DEFAULT): ControlStores {
  const folder = openTemporaryFolder()
  const db = openControlDatabase(folder.path)
  const writing = createControlStores(db)
  const stores = throughWriter.openControlStores(db, async (call) => throughWriter.performControlCall(writing, call))
  const { quarantine } = stores
  return {
    folder: folder.path,
    db,
    ...stores,
    quarantine: {
      ...quarantine,
      bytesMax,
      add: (records, nowMs) => quarantine.add(records, nowMs, bytesMax),
    },
    close() {
      db.close()
      folder[Symbol.dispose]()
    },
  }
}
