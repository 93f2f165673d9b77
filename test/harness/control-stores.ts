/** Tenants, keys, domains and quarantine in a temporary folder that is deleted when the test ends. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DomainStore } from '../../src/domains/domain-store.ts'
import type { QuarantineStore } from '../../src/events/ingest/quarantine-store.ts'
import { createControlStores, openControlDatabase } from '../../src/storage/sqlite/control/control-database.ts'
import * as throughWriter from '../../src/storage/sqlite/control/through-writer.ts'
import type { Database } from '../../src/storage/sqlite/database/database.ts'
import type { KeyStore } from '../../src/tenants/key-store.ts'

export interface ControlStores {
  readonly folder: string
  readonly db: Database
  readonly keys: KeyStore
  readonly domains: DomainStore
  readonly quarantine: QuarantineStore
  close(): void
}

/** Without a writing thread: writes are made on the same connection. */
export function openControlStores(): ControlStores {
  const folder = mkdtempSync(join(tmpdir(), 'envelog-control-'))
  const db = openControlDatabase(folder)
  const writing = createControlStores(db)
  return {
    folder,
    db,
    ...throughWriter.openControlStores(db, async (call) => throughWriter.performControlCall(writing, call)),
    close() {
      db.close()
      rmSync(folder, { recursive: true })
    },
  }
}
