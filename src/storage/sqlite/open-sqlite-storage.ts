/** Everything in SQLite files under one folder: the control file and one event file per day. Nothing else to install. */
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
import { damagedDay } from './days/damaged-day.ts'
import { type Day, dayOfTimestamp } from './days/day.ts'
import { DayFiles } from './days/day-files.ts'
import { recount } from './days/recount.ts'
import { SetAsideDays } from './days/set-aside-days.ts'
import { Eraser } from './erasing/eraser.ts'
import { checkHistory } from './history/check-history.ts'
import { HistoryNews } from './history/history-news.ts'
import { checkAtStart, openDataFolder, requireControlFile } from './manifest/check-days.ts'
import { ReadPool } from './read-pool/read-pool.ts'
import { SEARCH_THRESHOLDS, type SearchThresholds } from './reading/day-plan.ts'
import { CACHE_KIB } from './reading/day-readers.ts'
import { undoInterruptedSwaps } from './repair/day-swap.ts'
import { repairDay, requireRepairable } from './repair/repair-day.ts'
import { openEventLog, type SqliteEventLog } from './sqlite-event-log.ts'
import { AppendQueue } from './writing/append-queue.ts'
import type { RequestOutcome } from './writing/day-writers.ts'
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
  requireNoBackup(dataDir)
  const lock = lockDataFolder(dataDir)
  opening.defer(() => lock.release())
  requireControlFile(dataDir, new DayFiles(dataDir))
  const control = openControlDatabase(dataDir)
  opening.defer(() => control.close())
  const folder = openDataFolder(dataDir, control)
  const { files, troubles } = folder
  undoInterruptedSwaps(files.folder)
  files.removeDrafts()
  const notices = checkAtStart(folder, clock())
  checkHistory(dataDir, files)
  const history = new HistoryNews()
  const aside = new SetAsideDays(troubles.list())
  /** Found by one thread, to be known by all. What is in memory of the day's events is forgotten. */
  const setAside = (trouble: DayTrouble, isWriterTold: boolean) => {
    if (!aside.add(trouble)) return
    log.setAside(trouble.day)
    if (!isWriterTold) tellWriter(trouble)
  }
  const tellWriter = (trouble: DayTrouble) => void writer.call({ kind: 'setAside', trouble }).catch(() => undefined)
  const pool = new ReadPool({
    threads: readers,
    onTrouble: (trouble) => setAside(trouble, false),
    setAside: () => aside.list.map(({ day }) => day),
    onHistoryLost: () => history.discard(() => writer.call({ kind: 'discardHistory' })),
    // The threads share one allowance; most pages are in the system's cache anyway.
    workerData: {
      dataDir,
      serviceMessageIdField,
      thresholds: searchThresholds,
      cacheKib: Math.ceil(CACHE_KIB / readers),
    },
  })
  let days = new Set(files.list())
  const writer: Writer = new Writer({
    dataDir,
    onCommits(commits) {
      for (const { day } of commits) days.add(day)
      log.learn(commits)
    },
    onHistory(notice) {
      if ('summarized' in notice) log.learnSummarized(notice.summarized)
      // After the threads have closed it, they open the new one.
      if ('isLost' in notice) log.forget()
      history.publish(notice)
    },
    onLost: () => {
      log.forget()
      // It may not have been able to write them down.
      for (const trouble of aside.list) tellWriter(trouble)
    },
    onTrouble: (trouble) => setAside(trouble, true),
  })
  // Not an async function: it would keep the rows, which were sent to the writing thread, in memory until they are durable.
  const commitListeners: ((durationMs: number) => void)[] = []
  const queue = new AppendQueue((rows) => {
    const startMs = performance.now()
    const committing = writer.call({ kind: 'append', rows, nowMs: clock() }) as Promise<readonly RequestOutcome[]>
    return committing.finally(() => {
      for (const listener of commitListeners) listener(performance.now() - startMs)
    })
  })
  const removeDaysBefore = async (timeMs: number) => {
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
    call: (call) => writer.call(call),
    onErased: (day) => log.dropErased(day),
  })
  const log: SqliteEventLog = openEventLog({ pool, queue, removeDaysBefore, eraser })
  const closing = new AbortController()
  let repairing: Promise<unknown> | undefined
  const takeBack = async (day: Day) => {
    await writer.call({ kind: 'takeBack', day })
    aside.remove(day)
    log.takeBack(day)
  }
  const repair = async (day: Day, onProgress?: (percent: number) => void) => {
    const before = aside.find(day)
    requireRepairable(before)
    const setAsideAll = async () => {
      const trouble = before ?? damagedDay(day, new Error('it is being repaired'), clock())
      aside.add(trouble)
      log.setAside(day)
      await writer.call({ kind: 'setAside', trouble })
      await pool.closeDay(day)
    }
    const service = { dataDir, files, setAside: setAsideAll, takeBack, signal: closing.signal }
    const running = repairDay(service, day, onProgress)
    repairing = running.catch(() => undefined)
    try {
      return await running
    } catch (error) {
      // A day without a trouble has none because its repair failed.
      if (!before && aside.find(day) && !closing.signal.aborted) await takeBack(day)
      throw error
    }
  }
  /** Sets days aside or takes them back, and has the readers list them again. */
  const callForDays = async (call: Extract<WriterCall, { readonly kind: 'checkDays' | 'acceptDay' }>) => {
    const before = aside.list
    try {
      await writer.call(call)
    } finally {
      const now = troubles.list()
      for (const trouble of now) setAside(trouble, true)
      for (const { day } of before) {
        if (now.some((trouble) => trouble.day === day)) continue
        aside.remove(day)
        log.takeBack(day)
      }
    }
  }
  const stores = openControlStores(control, (call) => writer.call(call))
  const { quarantineBytes: bytesMax = QUARANTINE_BYTES_DEFAULT } = options
  const quarantine: QuarantineStore = {
    ...stores.quarantine,
    bytesMax,
    add: (records, nowMs) => stores.quarantine.add(records, nowMs, bytesMax),
  }
  const backups = new Backups({ dataDir, control, clock })
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
        list: () => aside.list,
        follow: (listener) => aside.follow(listener),
        accept: (day) => callForDays({ kind: 'acceptDay', day, nowMs: clock() }),
      },
      backup: backups,
      repair: { run: repair },
      recount: {
        async run(onProgress) {
          await callForDays({ kind: 'checkDays', nowMs: clock() })
          const onDamage = (trouble: DayTrouble) => setAside(trouble, false)
          return recount(dataDir, { setAside: aside.list, onProgress, onDamage })
        },
      },
    },
    get health() {
      const today = dayOfTimestamp(Math.floor(clock() / 1000))
      const writable = writer.isHealthy && !aside.find(today)
      return { writable, queuedEvents: queue.queuedRows, reads: pool.load }
    },
    observation: {
      disk: () => readDiskUse(dataDir),
      onCommit: (listener) => void commitListeners.push(listener),
    },
    close: async () => {
      closing.abort()
      await repairing
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
