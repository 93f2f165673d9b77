/** Tenants, keys, domains and quarantine in a temporary folder that is deleted when the test ends. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ControlDatabase, openControlDatabase } from '../../src/storage/sqlite/control/control-database.ts'
import { SqliteDomainStore } from '../../src/storage/sqlite/control/sqlite-domain-store.ts'
import { SqliteKeyStore } from '../../src/storage/sqlite/control/sqlite-key-store.ts'
import { SqliteQuarantineStore } from '../../src/storage/sqlite/control/sqlite-quarantine-store.ts'

export interface ControlStores {
  readonly folder: string
  readonly db: ControlDatabase
  readonly keys: SqliteKeyStore
  readonly domains: SqliteDomainStore
  readonly quarantine: SqliteQuarantineStore
  close(): void
}

export function openControlStores(): ControlStores {
  const folder = mkdtempSync(join(tmpdir(), 'envelog-control-'))
  const db = openControlDatabase(folder)
  return {
    folder,
    db,
    keys: new SqliteKeyStore(db),
    domains: new SqliteDomainStore(db),
    quarantine: new SqliteQuarantineStore(db),
    close() {
      db.close()
      rmSync(folder, { recursive: true })
    },
  }
}
