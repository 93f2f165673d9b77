/**
 * Keeps the history index, on the writing thread. A day is marked open, durably, before anything is written to its file: from
 * then on readers ask the file. It is summarized, in steps, once its file is closed.
 */
import { existsSync } from 'node:fs'
import { Database } from '../database/database.ts'
import { isDamaged, isStorageFailure } from '../database/storage-failure.ts'
import type { Day } from '../days/day.ts'
import type { DayFiles } from '../days/day-files.ts'
import { countStored } from '../days/stored-events.ts'
import { readDayState } from './day-state.ts'
import { DamagedCountsError } from './domain-day.ts'
import { discardHistory, historyPath, openHistoryForWriting } from './history-database.ts'
import type { HistoryNotice } from './history-notice.ts'
import { firstIdKey } from './id-key.ts'
import { dayOfNumber, isIndexable, numberOfDay, SPAN_DAYS, spanOf } from './span.ts'
import { removeDay, summarizeDay } from './summarize-day.ts'

/** How long a step may take: calls of the writing thread wait for it. */
const STEP_MS = 3
/** A day that was just closed is often opened again, for instance by an import. */
const QUIET_MS = 2000
/** How often to look for days that have been closed, and when to retry after a failure. */
const POLL_MS = 5000
const RETRY_MS = 60_000
/** How long moving commits into a file waits for readers: calls of the writing thread wait as long, and a backup reads for minutes. */
const CHECKPOINT_WAIT_MS = 20
const SOURCE_CACHE_KIB = 1024
const KEYS_AT_ONCE = 2000

export interface HistoryWriterOptions {
  readonly dataDir: string
  readonly files: DayFiles
  /** Whether the day's file is open for writing, or soon will be. */
  readonly isBusy: (day: Day) => boolean
  /** How long a day is left alone after it was opened for writing. */
  readonly quietMs?: number
  readonly notify: (notice: HistoryNotice) => void
}

interface Work {
  readonly day: Day | undefined
  readonly steps: Generator<undefined>
}

export class HistoryWriter {
  readonly #options: HistoryWriterOptions
  /** Undefined while it cannot be opened. */
  #db: Database | undefined
  /** Days with a file that are not summarized. */
  readonly #pending = new Set<Day>()
  /** When a day was last opened for writing. */
  readonly #openedMs = new Map<Day, number>()
  /** Day files that could not be read. */
  readonly #unreadable = new Set<Day>()
  /** Days of the index without a file; undefined until they are looked for. */
  #gone: number[] | undefined
  #work: Work | undefined
  #retryMs = 0

  constructor(options: HistoryWriterOptions) {
    this.#options = options
    this.#tryToOpen()
  }

  /** Before a day's file is opened for writing. Throws if that cannot be noted: the write must fail then. */
  reopen(day: Day): void {
    if (!isIndexable(day)) return
    this.#pending.add(day)
    this.#unreadable.delete(day)
    this.#openedMs.set(day, performance.now())
    if (this.#work?.day === day) this.#stopWork()
    try {
      if (this.#db) this.#markOpen(this.#db, day)
      // Readers may have opened what this thread could not.
      else if (existsSync(historyPath(this.#options.dataDir))) this.discard()
    } catch (error) {
      // Without an index no mark is needed.
      if (!this.#isOwnDamage(error)) throw error
      this.discard()
    }
  }

  /** After retention: days without a file are taken out, in steps. Readers do not ask for a day that has no file. */
  dropRemoved(): void {
    const days = new Set(this.#options.files.listAll())
    for (const list of [this.#pending, this.#unreadable, this.#openedMs]) {
      for (const day of list.keys()) if (!days.has(day)) list.delete(day)
    }
    this.#gone = undefined
  }

  /** Deletes the index and begins again. */
  discard(): void {
    this.#stopWork()
    this.#db?.close()
    this.#db = undefined
    discardHistory(this.#options.dataDir)
    this.#options.notify({ notice: 'history', isLost: true })
  }

  /** Works for a few milliseconds. Returns the milliseconds until the next step. */
  step(): number {
    const startedMs = performance.now()
    if (startedMs < this.#retryMs) return this.#retryMs - startedMs
    try {
      if (!this.#db) this.#tryToOpen()
      while (this.#db && performance.now() - startedMs < STEP_MS) {
        this.#work ??= this.#nextWork(this.#db)
        if (!this.#work) return POLL_MS
        if (this.#work.steps.next().done) this.#work = undefined
      }
      return this.#db ? 0 : RETRY_MS
    } catch (error) {
      this.#fail(error)
      return 0
    }
  }

  close(): void {
    this.#stopWork()
    this.#db?.close()
    this.#db = undefined
  }

  #tryToOpen(): void {
    const { dataDir, files, notify } = this.#options
    try {
      this.#db = openHistoryForWriting(dataDir)
      // A step that is lost in a power cut is made again; only marks have to be durable.
      this.#db.execute('PRAGMA synchronous = NORMAL')
      const known = new Set(
        this.#db.allArrays<[number]>('SELECT day FROM day WHERE is_open = 0').map(([number]) => dayOfNumber(number)),
      )
      this.#pending.clear()
      for (const day of files.list()) if (!known.has(day) && isIndexable(day)) this.#pending.add(day)
      notify({ notice: 'history', summarized: [], remaining: this.#countRemaining() })
    } catch (error) {
      if (!isStorageFailure(error)) throw error
      this.#db = undefined
      this.#retryMs = performance.now() + RETRY_MS
    }
  }

  #markOpen(db: Database, day: Day): void {
    const number = numberOfDay(day)
    if (!db.get('SELECT 1 FROM day WHERE day = ? AND is_open = 0', number)) return
    db.execute('PRAGMA synchronous = FULL')
    db.transaction(() => db.run('UPDATE day SET is_open = 1 WHERE day = ?', number))
    db.execute('PRAGMA synchronous = NORMAL')
  }

  #nextWork(db: Database): Work | undefined {
    this.#gone ??= this.#listGone(db)
    const gone = this.#gone.pop()
    if (gone !== undefined) return { day: undefined, steps: this.#remove(db, gone) }
    let newest: Day | undefined
    const nowMs = performance.now()
    const { quietMs = QUIET_MS, isBusy } = this.#options
    for (const day of this.#pending) {
      if (newest !== undefined && day < newest) continue
      if (this.#unreadable.has(day) || isBusy(day)) continue
      if (nowMs - (this.#openedMs.get(day) ?? Number.NEGATIVE_INFINITY) < quietMs) continue
      newest = day
    }
    return newest === undefined ? undefined : { day: newest, steps: this.#summarize(db, newest) }
  }

  /** Days of the index that have no file. */
  #listGone(db: Database): number[] {
    const days = new Set(this.#options.files.listAll().map(numberOfDay))
    return db
      .allArrays<[number]>('SELECT day FROM day')
      .map(([number]) => number)
      .filter((number) => !days.has(number))
  }

  *#summarize(db: Database, day: Day): Generator<undefined> {
    const { files, notify } = this.#options
    const number = numberOfDay(day)
    const path = files.path(day)
    this.#pending.delete(day)
    if (!files.has(day)) return
    // A crash, or a reader that was in the way, has left commits outside the file.
    if (!readDayState(path)) checkpoint(path)
    const state = readDayState(path)
    if (!state) {
      this.#pending.add(day)
      this.#openedMs.set(day, performance.now())
      return
    }
    using source = files.openForReading(day, SOURCE_CACHE_KIB)
    db.run(
      `INSERT INTO day (day, is_open, arrival, events, stored_at_ms, bytes, modified_ms) VALUES (?, 1, 0, 0, 0, 0, 0)
       ON CONFLICT (day) DO NOTHING`,
      number,
    )
    yield* summarizeDay(db, source, number)
    const arrival = source.number('SELECT arrival FROM day')
    const events = countStored(source)
    const storedAtMs = source.number('SELECT stored_at_ms FROM arrival_batch ORDER BY first DESC LIMIT 1')
    const after = readDayState(path)
    if (after?.bytes !== state.bytes || after.modifiedMs !== state.modifiedMs) {
      this.#pending.add(day)
      return
    }
    db.run(
      'UPDATE day SET is_open = 0, arrival = ?, events = ?, stored_at_ms = ?, bytes = ?, modified_ms = ? WHERE day = ?',
      arrival,
      events,
      storedAtMs,
      state.bytes,
      state.modifiedMs,
      number,
    )
    this.#openedMs.delete(day)
    notify({ notice: 'history', summarized: [{ day, arrival, events, storedAtMs }], remaining: this.#countRemaining() })
  }

  *#remove(db: Database, number: number): Generator<undefined> {
    yield* removeDay(db, number)
    const span = spanOf(number)
    const [first, last] = [firstIdKey(0, span), firstIdKey(0, span + 1)]
    const hasDays = db.number(`SELECT count(*) FROM day WHERE day / ${SPAN_DAYS} = ?`, span) > 0
    if (hasDays) return
    const sql = `DELETE FROM message_id WHERE key IN
      (SELECT key FROM message_id WHERE key >= ? AND key < ? LIMIT ${KEYS_AT_ONCE})`
    while (db.run(sql, first, last).changes > 0) yield
  }

  /** Without those that are open for writing. */
  #countRemaining(): number {
    let busy = this.#unreadable.size
    for (const day of this.#openedMs.keys()) if (this.#pending.has(day) && this.#options.isBusy(day)) busy++
    return this.#pending.size - busy
  }

  #stopWork(): void {
    const { day, steps } = this.#work ?? {}
    this.#work = undefined
    steps?.return(undefined)
    if (day !== undefined) this.#pending.add(day)
  }

  /** A damaged index is built again; one that cannot be written is tried again later; a day that cannot be read is left out. */
  #fail(error: unknown): void {
    const day = this.#work?.day
    this.#work = undefined
    if (day !== undefined) this.#pending.add(day)
    const message = error instanceof Error ? error.message : String(error)
    try {
      if (this.#isOwnDamage(error)) {
        this.discard()
        return
      }
    } catch {
      // It cannot be deleted either.
    }
    const isOwn = message.includes(historyPath(this.#options.dataDir))
    if (day !== undefined && !isOwn) this.#unreadable.add(day)
    else this.#retryMs = performance.now() + RETRY_MS
    this.#options.notify({ notice: 'history', failed: message, ...(day !== undefined && !isOwn && { day }) })
  }

  #isOwnDamage(error: unknown): boolean {
    if (error instanceof DamagedCountsError) return true
    return isDamaged(error) && error instanceof Error && error.message.includes(historyPath(this.#options.dataDir))
  }
}

/** A day that nobody writes to: not with `openForWriting`, which would mark it open. */
function checkpoint(path: string): void {
  using db = new Database(path, { busyTimeoutMs: CHECKPOINT_WAIT_MS })
  db.execute('PRAGMA wal_checkpoint(TRUNCATE)')
}
