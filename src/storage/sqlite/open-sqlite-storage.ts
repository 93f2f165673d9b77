/** Everything in SQLite files under one folder: the control file and one event file per day. Nothing else to install. */
import type { DomainStore } from '../../domains/domain-store.ts'
import type { QuarantineStore } from '../../events/quarantine-store.ts'
import type { Clock } from '../../lib/clock.ts'
import type { KeyStore } from '../../tenants/key-store.ts'
import type { Storage } from '../storage.ts'
import { openControlDatabase } from './control/control-database.ts'
import { SqliteDomainStore } from './control/sqlite-domain-store.ts'
import { SqliteKeyStore } from './control/sqlite-key-store.ts'
import { SqliteQuarantineStore } from './control/sqlite-quarantine-store.ts'
import { SqliteStatsStore } from './counts/sqlite-stats-store.ts'
import { lockDataFolder } from './database/data-folder-lock.ts'
import { isStorageFailure } from './database/storage-failure.ts'
import { backupDataFolder } from './days/backup.ts'
import type { Day } from './days/day.ts'
import { DayFiles } from './days/day-files.ts'
import { findNewestTimestamp, listDayUse } from './days/day-use.ts'
import { recountDay } from './days/recount.ts'
import { DayReaders } from './reading/day-readers.ts'
import { SEARCH_THRESHOLDS, type SearchThresholds } from './reading/day-search.ts'
import { LOG_THRESHOLDS, type LogThresholds } from './reading/log-day-plan.ts'
import { NewestPages } from './reading/newest-pages.ts'
import { SqliteEventStore } from './reading/sqlite-event-store.ts'
import { SqliteTenantLog } from './reading/sqlite-tenant-log.ts'
import { AppendQueue } from './writing/append-queue.ts'
import type { StoreOutcome } from './writing/day-writers.ts'
import type { PackedRows } from './writing/packed-rows.ts'
import { Writer } from './writing/writer.ts'

export interface SqliteStorageOptions {
  readonly dataDir: string
  readonly clock: Clock
  /** The wire name of `service_message_id` (ENVELOG_BRAND). */
  readonly serviceMessageIdField: string
  /** A server takes the folder for itself; commands beside it do not. */
  readonly isServer?: boolean
  /** When a search changes its way of searching; tests lower them to go every way with few events. */
  readonly searchThresholds?: SearchThresholds
  /** The same for searches over several domains. */
  readonly logThresholds?: LogThresholds
}

export async function openSqliteStorage(options: SqliteStorageOptions): Promise<Storage> {
  const { dataDir, clock, serviceMessageIdField } = options
  const control = openControlDatabase(dataDir)
  const lock = options.isServer ? lockOrClose(dataDir, control) : undefined
  const files = new DayFiles(dataDir)
  if (lock) files.removeDrafts()
  files.migrate()
  const writer = new Writer({ dataDir, isServer: options.isServer ?? false })
  const searchThresholds = options.searchThresholds ?? SEARCH_THRESHOLDS
  const readers = new DayReaders(control, files, serviceMessageIdField, searchThresholds)
  // No async function: it would hold the rows, which have gone to the writing thread, until they are on the disk.
  const storeRows = (rows: PackedRows): Promise<StoreOutcome> => {
    const storing = writer.call({ kind: 'append', rows, nowMs: clock() }) as Promise<StoreOutcome>
    return storing.catch((error: unknown) => {
      readers.doubt()
      throw error
    })
  }
  // Commands ask once; a server is polled.
  const newest = options.isServer ? new NewestPages() : undefined
  const learn = ({ requests, commits }: StoreOutcome) => {
    readers.learn(commits)
    newest?.learn(commits)
    log.announceArrival()
    return requests
  }
  const queue = new AppendQueue((rows) => storeRows(rows).then(learn))

  const thresholds = options.logThresholds ?? LOG_THRESHOLDS
  const log = new SqliteTenantLog({ readers, clock, serviceMessageIdField, thresholds })

  return {
    events: new SqliteEventStore(queue, readers, newest),
    log,
    stats: new SqliteStatsStore(control, readers),
    domains: domainStore(new SqliteDomainStore(control), writer),
    keys: keyStore(new SqliteKeyStore(control), writer),
    quarantine: quarantineStore(new SqliteQuarantineStore(control), writer),
    health: () => {
      // A store that failed has to be seen to work again, and perhaps nobody writes while it is reported as broken.
      if (!writer.isHealthy) writer.call({ kind: 'probe' }).catch(() => undefined)
      return { writable: writer.isHealthy, queuedEvents: queue.queuedRows, dayFiles: files.list().length }
    },
    listDays: async () => listDayUse(files, readers),
    findNewestTimestamp: async () => findNewestTimestamp(readers),
    removeDaysBefore: async (timeMs) => {
      const removed = (await writer.call({ kind: 'removeDaysBefore', timeMs })) as readonly string[]
      readers.look()
      return removed
    },
    backup: (folder, onProgress = () => undefined) => backupDataFolder(dataDir, folder, onProgress),
    recount: async () => {
      const differences: string[] = []
      for (const day of readers.days()) {
        differences.push(...recountOrTell(readers, day))
      }
      return differences
    },
    close: async () => {
      await queue.drain()
      // The writer last: whoever closes a file last moves its log into it.
      readers.close()
      control.close()
      await writer.close()
      lock?.release()
    },
  }
}

/** A day that cannot be read is a finding too, and keeps nobody from looking at the others. */
function recountOrTell(readers: DayReaders, day: Day): readonly string[] {
  try {
    using lease = readers.lease(day)
    return lease ? recountDay(day, lease.reader.database) : []
  } catch (error) {
    if (!isStorageFailure(error) || !(error instanceof Error)) throw error
    return [`${day}: ${error.message}. Restore this file from a backup, or move it away to go on without it.`]
  }
}

function lockOrClose(dataDir: string, control: { close(): void }): { release(): void } {
  try {
    return lockDataFolder(dataDir)
  } catch (error) {
    control.close()
    throw error
  }
}

// Reads are answered here, from the serving thread's own connection; writes go to the writing thread.

function domainStore(local: SqliteDomainStore, writer: Writer): DomainStore {
  const write = (method: keyof DomainStore, ...values: unknown[]) =>
    writer.call({ kind: 'control', store: 'domains', method, values })
  return {
    create: (domain) => write('create', domain) as ReturnType<DomainStore['create']>,
    findByName: (name) => local.findByName(name),
    findById: (id) => local.findById(id),
    list: (query) => local.list(query),
    listNames: (tenantId) => local.listNames(tenantId),
    listDue: (nowMs, limit) => local.listDue(nowMs, limit),
    census: () => local.census(),
    setActive: (...values) => write('setActive', ...values) as Promise<void>,
    saveVerification: (...values) => write('saveVerification', ...values) as Promise<void>,
    saveRecheck: (...values) => write('saveRecheck', ...values) as Promise<void>,
    saveKeys: (...values) => write('saveKeys', ...values) as Promise<boolean>,
  }
}

function keyStore(local: SqliteKeyStore, writer: Writer): KeyStore {
  const write = (method: keyof KeyStore, ...values: unknown[]) =>
    writer.call({ kind: 'control', store: 'keys', method, values })
  return {
    createTenant: (tenant) => write('createTenant', tenant) as Promise<void>,
    findTenantByName: (name) => local.findTenantByName(name),
    listTenants: () => local.listTenants(),
    createKey: (key) => write('createKey', key) as Promise<void>,
    findKey: (id) => local.findKey(id),
    listKeys: () => local.listKeys(),
    revokeKey: (...values) => write('revokeKey', ...values) as Promise<boolean>,
    recordKeyUse: (uses) => write('recordKeyUse', uses) as Promise<void>,
  }
}

function quarantineStore(local: SqliteQuarantineStore, writer: Writer): QuarantineStore {
  const write = (method: keyof QuarantineStore, ...values: unknown[]) =>
    writer.call({ kind: 'control', store: 'quarantine', method, values })
  return {
    add: (...values) => write('add', ...values) as Promise<void>,
    list: (options) => local.list(options),
    count: (connector) => local.count(connector),
    remove: (ids) => write('remove', ids) as Promise<void>,
    removeAll: (...values) => write('removeAll', ...values) as Promise<number>,
    removeOlderThan: (timeMs) => write('removeOlderThan', timeMs) as Promise<number>,
  }
}
