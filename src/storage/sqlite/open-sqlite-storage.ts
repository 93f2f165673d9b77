/** Everything in SQLite files under one folder: the control file and one event file per day. Nothing else to install. */
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { QUARANTINE_BYTES_DEFAULT } from '../../events/ingest/quarantine-room.ts'
import type { QuarantineStore } from '../../events/ingest/quarantine-store.ts'
import type { Clock } from '../../lib/clock.ts'
import { makeFolder } from '../../lib/make-folder.ts'
import type { DayTrouble, Storage } from '../storage.ts'
import { Backups } from './backup/backups.ts'
import { requireNoBackup } from './backup/restore.ts'
import { openControlDatabase } from './control/control-database.ts'
import { openControlStores } from './control/through-writer.ts'
import { lockDataFolder } from './database/data-folder-lock.ts'
import { readDiskUse } from './database/disk-use.ts'
import { dayOfTimestamp } from './days/day.ts'
import { DayFiles } from './days/day-files.ts'
import { recount } from './days/recount.ts'
import { Eraser } from './erasing/eraser.ts'
import { checkHistory } from './history/check-history.ts'
import { HistoryNews } from './history/history-news.ts'
import { checkAtStart, openDataFolder, requireControlFile } from './manifest/check-days.ts'
import { ReadPool } from './read-pool/read-pool.ts'
import { SEARCH_THRESHOLDS, type SearchThresholds } from './reading/day-plan.ts'
import { CACHE_KIB } from './reading/day-readers.ts'
import { undoInterruptedSwaps } from './repair/day-swap.ts'
import { openEventLog, type SqliteEventLog } from './sqlite-event-log.ts'
import { DayRecovery } from './troubles/day-recovery.ts'
import { AppendQueue } from './writing/append-queue.ts'
import type { RequestOutcome } from './writing/day-writers.ts'
import { Writer } from './writing/writer.ts'

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
  requireNoBackup(dataDir)
  const lock = lockDataFolder(dataDir)
  opening.defer(() => lock.release())
  requireControlFile(dataDir, new DayFiles(dataDir))
  const control = openControlDatabase(dataDir)
  opening.defer(() => control.close())
  const folder = openDataFolder(dataDir, control)
  const { files } = folder
  undoInterruptedSwaps(files.folder)
  files.removeDrafts()
  const notices = checkAtStart(folder, clock())
  checkHistory(dataDir, files)
  const history = new HistoryNews()
  const recovery = new DayRecovery({
    dataDir,
    folder,
    clock,
    users: {
      call: (call) => writer.call(call),
      setAside: (day) => log.setAside(day),
      takeBack(day) {
        log.takeBack(day)
        if (existsSync(files.path(day))) days.add(day)
      },
      closeDay: (day) => pool.closeDay(day),
    },
  })
  const discardHistory = () => history.discard(() => writer.call({ kind: 'discardHistory' }))
  const pool = new ReadPool({
    threads: readers,
    onTrouble: (trouble) => recovery.setAside(trouble),
    setAside: () => recovery.list.map(({ day }) => day),
    onHistoryLost: discardHistory,
    // The threads share one allowance; most pages are in the system's cache anyway.
    workerData: {
      dataDir,
      serviceMessageIdField,
      thresholds: searchThresholds,
      cacheKib: Math.ceil(CACHE_KIB / readers),
    },
  })
  let days = new Set(files.list())
  const learn: SqliteEventLog['learn'] = (commits, appended) => {
    for (const { day } of commits) days.add(day)
    log.learn(commits, appended)
  }
  const writer: Writer = new Writer({
    dataDir,
    onCommits: (commits) => learn(commits),
    onHistory(notice) {
      if ('summarized' in notice) log.learnSummarized(notice.summarized)
      // After the threads have closed it, they open the new one.
      if ('isLost' in notice) log.forget()
      history.publish(notice)
    },
    onLost: () => {
      log.forget()
      recovery.tellWriter()
    },
    onTrouble: (trouble) => recovery.setAside(trouble, { isWriterTold: true }),
  })
  // Not an async function: it would keep the rows, which were sent to the writing thread, in memory until they are durable.
  const commitListeners: ((durationMs: number) => void)[] = []
  const queue = new AppendQueue((rows) => {
    const startMs = performance.now()
    const watched = log.selectWatched(rows)
    const committing = writer.call(
      { kind: 'append', rows, nowMs: clock(), wantsArrivals: watched.length > 0 },
      (commits, arrivals) => learn(commits, arrivals && { rows: watched, arrivals }),
    ) as Promise<readonly RequestOutcome[]>
    return committing.finally(() => {
      for (const listener of commitListeners) listener(performance.now() - startMs)
    })
  })
  const removeDaysBefore = async (timeMs: number) => {
    await recovery.settleBefore(timeMs)
    try {
      return (await writer.call({ kind: 'removeDaysBefore', timeMs })) as readonly string[]
    } finally {
      // After a failure too: some days may have been removed before it.
      days = new Set(files.list())
    }
  }
  const eraser = new Eraser({
    dataDir,
    files,
    setAside: () => recovery.list.map(({ day }) => day),
    call: (call) => writer.call(call),
    onErased: (day) => log.dropErased(day),
  })
  const log: SqliteEventLog = openEventLog({ pool, queue, removeDaysBefore, eraser, serviceMessageIdField })
  const stores = openControlStores(control, (call) => writer.call(call))
  const { quarantineBytes: bytesMax = QUARANTINE_BYTES_DEFAULT } = options
  const quarantine: QuarantineStore = {
    ...stores.quarantine,
    bytesMax,
    add: (records, nowMs) => stores.quarantine.add(records, nowMs, bytesMax),
  }
  const backups = new Backups({ dataDir, control, clock })
  recovery.begin()
  opening.move()
  return {
    log,
    control: { ...stores, quarantine },
    notices,
    capabilities: {
      days: {
        list: () => pool.read({ isShort: true }, 'listDayUse'),
        get count() {
          return days.size
        },
      },
      history,
      troubles: {
        list: () => recovery.list,
        follow: (onSetAside, onTakenBack) => recovery.follow(onSetAside, onTakenBack),
        get takenBack() {
          return recovery.takenBack
        },
        accept: (day) => recovery.accept(day),
      },
      backup: backups,
      repair: { run: (day, onProgress) => recovery.repair(day, onProgress) },
      recount: {
        async run(onProgress) {
          await recovery.check()
          const onDamage = (trouble: DayTrouble) => recovery.setAside(trouble)
          return recount(dataDir, { setAside: recovery.list, onProgress, onDamage, onHistoryLost: discardHistory })
        },
      },
    },
    get health() {
      const today = dayOfTimestamp(Math.floor(clock() / 1000))
      const writable = writer.isHealthy && !recovery.find(today)
      return { writable, queuedEvents: queue.queuedRows, reads: { ...pool.load, newestPages: log.newestPages } }
    },
    observation: {
      disk: () => readDiskUse(dataDir),
      onCommit: (listener) => void commitListeners.push(listener),
    },
    endReads: () => pool.endLong(),
    close: async () => {
      await recovery.close()
      await backups.close()
      await queue.drain()
      await eraser.close()
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
