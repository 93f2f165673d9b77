/** Everything in SQLite files under one folder: the control file and one event file per day. Nothing else to install. */
import { availableParallelism } from 'node:os'
import { QUARANTINE_BYTES_DEFAULT } from '../../events/ingest/quarantine-room.ts'
import type { QuarantineStore } from '../../events/ingest/quarantine-store.ts'
import type { AppendResult } from '../../events/log/event-log.ts'
import type { Clock } from '../../lib/clock.ts'
import { makeFolder } from '../../lib/make-folder.ts'
import type { Storage } from '../storage.ts'
import { openControlDatabase } from './control/control-database.ts'
import { openControlStores } from './control/through-writer.ts'
import { lockDataFolder } from './database/data-folder-lock.ts'
import { backupDataFolder } from './days/backup.ts'
import { DayFiles } from './days/day-files.ts'
import { recount } from './days/recount.ts'
import { checkAtStart, openDataFolder, requireControlFile } from './manifest/check-days.ts'
import { ReadPool } from './read-pool/read-pool.ts'
import { SEARCH_THRESHOLDS, type SearchThresholds } from './reading/day-plan.ts'
import { CACHE_KIB } from './reading/day-readers.ts'
import { openEventLog, type SqliteEventLog } from './sqlite-event-log.ts'
import { AppendQueue } from './writing/append-queue.ts'
import { Writer } from './writing/writer.ts'
import type { WriterCall } from './writing/writer-protocol.ts'

export interface SqliteStorageOptions {
  readonly dataDir: string
  readonly clock: Clock
  /** The wire name of `service_message_id` (ENVELOG_BRAND). */
  readonly serviceMessageIdField: string
  /** Maximum number of reading threads (ENVELOG_READERS). Default: one less than there are processors, at least one. */
  readonly readers?: number
  /** The room of the quarantine. */
  readonly quarantineBytes?: number
  /** When a search changes its strategy; tests lower them to cover every strategy with few events. */
  readonly searchThresholds?: SearchThresholds
}

/** Throws AppError `conflict` while another process has the folder: opening it means owning it. */
export async function openSqliteStorage(options: SqliteStorageOptions): Promise<Storage> {
  const { dataDir, clock, serviceMessageIdField, searchThresholds = SEARCH_THRESHOLDS } = options
  const { readers = Math.max(1, availableParallelism() - 1) } = options
  // Undone in reverse order when something fails.
  using opening = new DisposableStack()
  makeFolder(dataDir)
  const lock = lockDataFolder(dataDir)
  opening.defer(() => lock.release())
  requireControlFile(dataDir, new DayFiles(dataDir))
  const control = openControlDatabase(dataDir)
  opening.defer(() => control.close())
  const folder = openDataFolder(dataDir, control)
  const { files, troubles } = folder
  files.removeDrafts()
  const notices = checkAtStart(folder, clock())
  const pool = new ReadPool({
    threads: readers,
    // The threads share one allowance; most pages are in the system's cache anyway.
    workerData: {
      dataDir,
      serviceMessageIdField,
      thresholds: searchThresholds,
      cacheKib: Math.ceil(CACHE_KIB / readers),
    },
  })
  const writer = new Writer({ dataDir, onCommits: (commits) => log.learn(commits), onLost: () => log.forget() })
  // Not an async function: it would keep the rows, which were sent to the writing thread, in memory until they are durable.
  const queue = new AppendQueue(
    (rows) => writer.call({ kind: 'append', rows, nowMs: clock() }) as Promise<readonly AppendResult[]>,
  )
  const removeDaysBefore = (timeMs: number) =>
    writer.call({ kind: 'removeDaysBefore', timeMs }) as Promise<readonly string[]>
  const log: SqliteEventLog = openEventLog({ pool, queue, removeDaysBefore })
  /** Sets days aside or takes them back, and has the readers list them again. */
  const callForDays = async (call: Extract<WriterCall, { readonly kind: 'checkDays' | 'acceptDay' }>) => {
    try {
      await writer.call(call)
    } finally {
      log.forget()
    }
  }
  const stores = openControlStores(control, (call) => writer.call(call))
  const { quarantineBytes: bytesMax = QUARANTINE_BYTES_DEFAULT } = options
  const quarantine: QuarantineStore = {
    ...stores.quarantine,
    bytesMax,
    add: (records, nowMs) => stores.quarantine.add(records, nowMs, bytesMax),
  }
  opening.move()
  return {
    log,
    control: { ...stores, quarantine },
    notices,
    capabilities: {
      days: {
        list: () => pool.read({ isShort: true }, 'listDayUse'),
        get count() {
          return files.list().length
        },
      },
      troubles: {
        list: () => troubles.list(),
        accept: (day) => callForDays({ kind: 'acceptDay', day, nowMs: clock() }),
      },
      backup: { run: (folder, onProgress = () => undefined) => backupDataFolder(dataDir, folder, onProgress) },
      recount: {
        async run(onProgress) {
          await callForDays({ kind: 'checkDays', nowMs: clock() })
          const aside = troubles.list().map(({ day, detail }) => `${day}: ${detail}`)
          return [...aside, ...(await recount(dataDir, onProgress))]
        },
      },
    },
    get health() {
      return { writable: writer.isHealthy, queuedEvents: queue.queuedRows, reads: pool.load }
    },
    close: async () => {
      await queue.drain()
      // The writer last: closing the last connection to a file moves its WAL into it.
      await pool.close()
      control.close()
      try {
        await writer.close()
      } finally {
        lock.release()
      }
    },
  }
}
