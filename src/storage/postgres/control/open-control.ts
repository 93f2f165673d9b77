/** The control store in PostgreSQL: tenants, keys, domains, quarantine, audit log, secrets, removals and the state of retention. */
import { join } from 'node:path'
import type { SharedState } from '../../../lib/shared-state.ts'
import { type Migration, readMigrations } from '../../read-migrations.ts'
import type { ControlStore } from '../../storage.ts'
import { LOCKS } from '../database/locks.ts'
import { Notices } from '../database/notices.ts'
import { type ConnectionChanges, Postgres, type Statements } from '../database/postgres.ts'
import { explainOpening } from '../database/postgres-failure.ts'
import { requireSchema, runMigrations, serverName } from '../database/run-migrations.ts'
import { cacheControl } from './cached-control.ts'
import { createAuditStore } from './postgres-audit-store.ts'
import { createDomainStore, findDomains, findDomainVersions } from './postgres-domain-store.ts'
import { createKeyStore } from './postgres-key-store.ts'
import { createQuarantineStore } from './postgres-quarantine-store.ts'
import { createRemovalStore } from './postgres-removal-store.ts'
import { createRetentionStore } from './postgres-retention-store.ts'
import { createSecretStore } from './postgres-secret-store.ts'
import { createSessionStore } from './postgres-session-store.ts'
import { createSharedState } from './postgres-shared-state.ts'
import { createViewStore } from './postgres-view-store.ts'
import { requireNoMove } from './require-no-move.ts'

export interface ControlOptions {
  /** postgres://user:password@host:port/database */
  readonly url: string
  /** The room of the quarantine. */
  readonly quarantineBytes?: number
  /** For the command that moves an installation here: everybody else is refused until it is finished. */
  readonly isMoving?: boolean
  /** The number of the schema of events that this server knows. Default: all of them. */
  readonly eventSchema?: number
}

export interface PostgresControl {
  readonly stores: ControlStore
  readonly shared: SharedState
  readonly db: Postgres
  readonly close: () => Promise<void>
}

export function readControlMigrations(): readonly Migration[] {
  return readMigrations(join(import.meta.dirname, 'migrations'))
}

const ANY_SCHEMA = 999_999_999

/** A migration may take as long as it takes; the lock of another one is waited for. */
const PATIENT: ConnectionChanges = {
  application_name: 'envelog migrate',
  statement_timeout: 0,
  query_timeout: 0,
  idle_in_transaction_session_timeout: 0,
}

/**
 * Brings the schema up to date, then does the other work under the same lock. Any number of processes may do it at the same time, one
 * after the other. Throws AppError `conflict` if the schema is newer, or servers run that it would break.
 */
export async function migrateControl(
  url: string,
  { onApplied, alsoMigrate = async () => undefined }: MigrateOptions = {},
): Promise<void> {
  const db = new Postgres(url, PATIENT)
  try {
    const run = { migrations: readControlMigrations(), lock: LOCKS.migration, onApplied }
    await runMigrations(db, run).catch((error: unknown) => {
      throw explainOpening(error)
    })
    await db.transaction(async (statements) => {
      await statements.run('SELECT pg_advisory_xact_lock($1)', LOCKS.migration)
      await alsoMigrate(statements)
    })
  } finally {
    await db.close()
  }
}

export interface MigrateOptions {
  /** Called with the name of each migration. */
  readonly onApplied?: (name: string) => void
  /** Such as the schema of the other database. */
  readonly alsoMigrate?: (statements: Statements) => Promise<void>
}

/** Throws AppError `conflict` if this version cannot serve the schema, `storage_unavailable` if there is no connection. */
export async function openControl({
  url,
  quarantineBytes,
  isMoving = false,
  eventSchema = ANY_SCHEMA,
}: ControlOptions): Promise<PostgresControl> {
  const migrations = readControlMigrations()
  const db = new Postgres(url, { application_name: serverName(migrations, eventSchema) })
  try {
    await requireSchema(db, migrations)
    if (!isMoving) await requireNoMove(db)
  } catch (error) {
    await db.close()
    throw explainOpening(error)
  }
  const stores: ControlStore = {
    keys: createKeyStore(db),
    domains: createDomainStore(db),
    quarantine: createQuarantineStore(db, quarantineBytes),
    secrets: createSecretStore(db),
    sessions: createSessionStore(db),
    views: createViewStore(db),
    audit: createAuditStore(db),
    removals: createRemovalStore(db),
    retention: createRetentionStore(db),
  }
  const cached = cacheControl(stores, {
    notify: (about) => notices.send(about),
    domains: {
      readAll: (names) => findDomains(db, names),
      readVersions: (names) => findDomainVersions(db, names),
    },
  })
  const notices = new Notices(db, { onNotice: (about) => cached.forget(about), onGap: () => cached.forget() })
  await notices.open()
  return {
    stores: cached.stores,
    shared: createSharedState(db),
    db,
    close: async () => {
      notices.close()
      await db.close()
    },
  }
}
