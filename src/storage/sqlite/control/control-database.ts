/** `control.db`: tenants, keys, domains, quarantine, audit log and the counts of removed days. */
import { join } from 'node:path'
import { makeFolder } from '../../../lib/make-folder.ts'
import { type Migration, readMigrations } from '../../read-migrations.ts'
import { Database } from '../database/database.ts'
import { runMigrations } from '../database/run-migrations.ts'
import { createAuditStore } from './sqlite-audit-store.ts'
import { createDomainStore } from './sqlite-domain-store.ts'
import { createKeyStore } from './sqlite-key-store.ts'
import { createQuarantineStore } from './sqlite-quarantine-store.ts'
import { createRemovalStore } from './sqlite-removal-store.ts'
import { createRetentionStore } from './sqlite-retention-store.ts'
import { createSecretStore } from './sqlite-secret-store.ts'
import { createSessionStore } from './sqlite-session-store.ts'
import { createViewStore } from './sqlite-view-store.ts'

export const CONTROL_FILE = 'control.db'

export const CONTROL_MIGRATIONS: readonly Migration[] = readMigrations(join(import.meta.dirname, 'migrations'))

/** Creates the folder and the file if they are missing, and brings the schema up to date. */
export function openControlDatabase(dataDir: string): Database {
  // For the owner alone: the folder holds keys.
  makeFolder(dataDir)
  const db = new Database(join(dataDir, CONTROL_FILE))
  // Rejected records and addresses that are removed must not stay readable in free pages.
  db.execute('PRAGMA secure_delete = ON')
  try {
    runMigrations(db, CONTROL_MIGRATIONS)
  } catch (error) {
    db.close()
    throw error
  }
  return db
}

/** Stores that read and write on this connection. */
export function createControlStores(db: Database) {
  return {
    domains: createDomainStore(db),
    keys: createKeyStore(db),
    quarantine: createQuarantineStore(db),
    secrets: createSecretStore(db),
    sessions: createSessionStore(db),
    views: createViewStore(db),
    audit: createAuditStore(db),
    removals: createRemovalStore(db),
    retention: createRetentionStore(db),
  }
}
