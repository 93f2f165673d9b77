/**
 * The open day files of the reading side. A file stays open while it is used and, if there is room, afterwards. The list of
 * days is read from the folder at the start and kept current by the commits of this process: a server owns its data.
 */
import { statSync } from 'node:fs'
import { Database } from '../database/database.ts'
import { isStorageFailure } from '../database/storage-failure.ts'
import type { Day } from '../days/day.ts'
import type { DayCommit } from '../days/day-commit.ts'
import type { DayFiles } from '../days/day-files.ts'
import type { SearchThresholds } from './day-plan.ts'
import { DayReader } from './day-reader.ts'
import { HeldReads } from './held-reads.ts'
import type { LogSearch } from './log-search.ts'
import { SearchStatements } from './search-statements.ts'

const OPEN_MAX = 128
/** Page cache of all files together, unless another is given; each gets its share, within bounds. */
export const CACHE_KIB = 24_576
const FILE_CACHE_KIB = { min: 512, max: 4096 } as const
/** How long a read transaction is kept for the statements and requests that follow. */
const HOLD_MS = 5
/** Only days without a commit for this long are held: the WAL of a busy day could never be checkpointed. */
const IDLE_MS = 1000

export interface ReaderLease extends Disposable {
  readonly reader: DayReader
}

class OpenReader implements ReaderLease {
  readonly reader: DayReader
  /** Sees no changes, so it is closed as soon as it is unused. */
  readonly isFrozen: boolean
  readonly #onUnused: () => void
  users = 0
  changedMs = Number.NEGATIVE_INFINITY

  constructor(reader: DayReader, isFrozen: boolean, onUnused: () => void) {
    this.reader = reader
    this.isFrozen = isFrozen
    this.#onUnused = onUnused
  }

  [Symbol.dispose](): void {
    this.users--
    if (this.users === 0) this.#onUnused()
  }
}

export class DayReaders {
  readonly #files: DayFiles
  readonly #statements: SearchStatements
  readonly #thresholds: SearchThresholds
  /** In order of use, so that the first is the one to close. */
  readonly #open = new Map<Day, OpenReader>()
  readonly #held = new HeldReads(HOLD_MS)
  readonly #cacheKibOfAll: number
  readonly #aside = new Set<Day>()
  /** To be called when a day that is set aside is closed. */
  readonly #onClosed = new Map<Day, () => void>()
  #days: readonly Day[]

  constructor(
    files: DayFiles,
    serviceMessageIdField: string,
    thresholds: SearchThresholds,
    cacheKib: number = CACHE_KIB,
  ) {
    this.#files = files
    this.#thresholds = thresholds
    this.#cacheKibOfAll = cacheKib
    this.#statements = new SearchStatements(serviceMessageIdField)
    this.#days = files.list()
  }

  /** The days that have a file, newest first. */
  get days(): readonly Day[] {
    return this.#days
  }

  learn(commits: readonly DayCommit[]): void {
    for (const commit of commits) {
      this.#addDay(commit.day)
      const open = this.#open.get(commit.day)
      if (!open) continue
      open.changedMs = performance.now()
      this.#held.release(open.reader.db)
      open.reader.learn(commit)
    }
  }

  /** There is a commit that was not announced here yet: the next read of the day sees it. */
  refresh(day: Day): void {
    if (this.#files.has(day)) this.#addDay(day)
    const open = this.#open.get(day)
    if (open) this.#held.release(open.reader.db)
  }

  /** To be called after retention: closes the files of removed days, whose space is freed only then. */
  dropRemoved(): void {
    this.#days = this.#days.filter((day) => this.#files.has(day))
    for (const [day, { users }] of this.#open) if (users === 0 && !this.#days.includes(day)) this.#close(day)
  }

  /** Leaves the day out of all reads from now on. Resolves when nobody has it open. */
  async setAside(day: Day): Promise<void> {
    this.#aside.add(day)
    this.#days = this.#days.filter((other) => other !== day)
    const open = this.#open.get(day)
    if (!open) return
    if (open.users === 0) return this.#close(day)
    const closed = Promise.withResolvers<void>()
    const before = this.#onClosed.get(day)
    this.#onClosed.set(day, () => {
      before?.()
      closed.resolve()
    })
    return closed.promise
  }

  /** After a repair: there is another file. */
  takeBack(day: Day): void {
    this.#aside.delete(day)
    if (this.#files.has(day)) this.#addDay(day)
  }

  /** Closes a day that nobody uses, so that the next read opens it again. */
  reopen(day: Day): void {
    if (this.#open.get(day)?.users === 0) this.#close(day)
  }

  /** After the writing thread has died: its last commits are unknown. */
  forget(): void {
    this.#held.releaseAll()
    this.#days = this.#files.list().filter((day) => !this.#aside.has(day))
    this.dropRemoved()
    for (const { reader } of this.#open.values()) reader.forget()
  }

  /** Whether the counts in memory rule out a match: most days of a search are skipped by this. */
  isRuledOut(day: Day, domains: readonly number[], search: LogSearch): boolean {
    const reader = this.#open.get(day)?.reader
    return reader?.isKnown === true && !reader.mayHave(domains, search)
  }

  /** Undefined when the day has no file. */
  lease(day: Day): ReaderLease | undefined {
    if (this.#aside.has(day)) return undefined
    const open = this.#open.get(day) ?? this.#openDay(day)
    if (!open) return undefined
    open.users++
    if (performance.now() - open.changedMs > IDLE_MS) this.#held.hold(open.reader.db)
    // The order matters only if there are more files than may be open.
    if (this.#open.size >= OPEN_MAX) {
      this.#open.delete(day)
      this.#open.set(day, open)
      this.#closeSpare()
    }
    return open
  }

  close(): void {
    this.#held.releaseAll()
    for (const day of this.#open.keys()) this.#close(day)
  }

  #addDay(day: Day): void {
    if (!this.#days.includes(day) && !this.#aside.has(day)) this.#days = [...this.#days, day].sort().reverse()
  }

  #openDay(day: Day): OpenReader | undefined {
    if (!this.#files.has(day)) return undefined
    try {
      return this.#toOpenReader(day, this.#files.openForReading(day, this.#cacheKib()), false)
    } catch (error) {
      // The disk may be full, and opening a day creates files beside it. Without a WAL the file is complete and can be read alone.
      if (!isStorageFailure(error) || hasWal(this.#files.path(day))) throw error
      const db = new Database(this.#files.path(day), { readOnly: true, isFrozen: true, cacheKib: this.#cacheKib() })
      return this.#toOpenReader(day, db, true)
    }
  }

  #toOpenReader(day: Day, db: Database, isFrozen: boolean): OpenReader {
    const reader = new DayReader(day, db, this.#statements, this.#thresholds)
    const open = new OpenReader(reader, isFrozen, () => {
      if (isFrozen || !this.#days.includes(day)) this.#close(day)
    })
    this.#open.set(day, open)
    return open
  }

  #cacheKib(): number {
    const share = Math.floor(this.#cacheKibOfAll / Math.max(1, this.#days.length))
    return Math.min(FILE_CACHE_KIB.max, Math.max(FILE_CACHE_KIB.min, share))
  }

  #closeSpare(): void {
    for (const [day, { users }] of this.#open) {
      if (this.#open.size <= OPEN_MAX) return
      if (users === 0) this.#close(day)
    }
  }

  #close(day: Day): void {
    const open = this.#open.get(day)
    if (!open) return
    this.#open.delete(day)
    this.#held.release(open.reader.db)
    open.reader.close()
    this.#onClosed.get(day)?.()
    this.#onClosed.delete(day)
  }
}

/** Whether there are commits that are not in the file itself yet. */
function hasWal(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
}
