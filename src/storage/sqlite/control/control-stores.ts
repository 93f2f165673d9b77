/** The stores of `control.db`. Threads that only read the log have no use for them, and start without loading them. */
import type { Database } from '../database/database.ts'
import { createAuditStore } from './sqlite-audit-store.ts'
import { createDomainStore } from './sqlite-domain-store.ts'
import { createKeyStore } from './sqlite-key-store.ts'
import { createQuarantineStore } from './sqlite-quarantine-store.ts'
import { createRemovalStore } from './sqlite-removal-store.ts'
import { createRetentionStore } from './sqlite-retention-store.ts'
import { createSecretStore } from './sqlite-secret-store.ts'
import { createSessionStore } from './sqlite-session-store.ts'
import { createViewStore } from './sqlite-view-store.ts'

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
