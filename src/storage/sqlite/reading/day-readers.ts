/** The open day files of the reading side. A file stays open while somebody uses it and, if there is room, afterwards. */
import { statSync } from 'node:fs'
import { Database } from '../database/database.ts'
import { isStorageFailure } from '../database/storage-failure.ts'
import type { Day } from '../days/day.ts'
import type { DayCommit } from '../days/day-commit.ts'
import type { DayFiles } from '../days/day-files.ts'
import { DayReader } from './day-reader.ts'
import type { SearchThresholds } from './day-search.ts'
import { HeldReads } from './held-reads.ts'
import { SearchStatements } from './search-statements.ts'

const OPEN_MAX = 128
/** Of all files together; each gets its share, within bounds. */
const CACHE_KIB = 24_576
const FILE_CACHE_KIB = { min: 512, max: 4096 } as const
/** What other processes do is looked for this often: they add days, and leave a sign in the control file when they write. */
const LOOK_MS = 5
/** One that was killed before it could leave the sign is noticed after this long. */
const CATCH_UP_MS = 1000
/** A day that has not been written to for so long is held while it is read. One that is would fill its log without end. */
const QUIET_MS = 1000

export interface ReaderLease extends Disposable {
  readonly reader: DayReader
}

class OpenReader implements ReaderLease {
  readonly reader: DayReader
  /** Sees no changes, so it is closed as soon as nobody uses it. */
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
    if (this.isFrozen && this.users === 0) this.#onUnused()
  }
}

export class DayReaders {
  readonly #control: Database
  readonly #files: DayFiles
  readonly #statements: SearchStatements
  readonly #thresholds: SearchThresholds
  /** In order of use, so that the first is the one to close. */
  readonly #open = new Map<Day, OpenReader>()

  #revision = 0
  #foreignRevision = 0
  #days: readonly Day[] = []
  #lookedAtMs = Number.NEGATIVE_INFINITY
  #controlVersion = -1
  #caughtUpAtMs = 0
  readonly #held = new HeldReads(LOOK_MS)

  constructor(control: Database, files: DayFiles, serviceMessageIdField: string, thresholds: SearchThresholds) {
    this.#control = control
    this.#thresholds = thresholds
    this.#files = files
    this.#statements = new SearchStatements(serviceMessageIdField)
  }

  /** Another number whenever something was added to a day. */
  get revision(): number {
    return this.#revision
  }

  /** Another number whenever something has changed that `learn` was not told of. */
  get foreignRevision(): number {
    return this.#foreignRevision
  }

  /** Told of commits of this process. */
  learn(commits: readonly DayCommit[]): void {
    for (const commit of commits) {
      this.#learn(commit)
      if (!this.#days.includes(commit.day)) this.look()
    }
    this.#revision++
  }

  /** Told that a commit failed: of several days some may have been committed all the same. */
  doubt(): void {
    this.#caughtUpAtMs = Number.NEGATIVE_INFINITY
    this.#lookedAtMs = Number.NEGATIVE_INFINITY
  }

  /** The days that have a file, newest first; what is in them is known from here on. */
  days(): readonly Day[] {
    if (performance.now() - this.#lookedAtMs > LOOK_MS) this.look()
    return this.#days
  }

  /** Finds out which days there are, and what others have committed. Files that are gone are let go of. */
  look(): void {
    this.#lookedAtMs = performance.now()
    this.#held.releaseAll()
    const days = this.#files.list()
    if (days !== this.#days) this.#foreignRevision++
    this.#days = days
    this.#catchUp()
    if (this.#open.size <= this.#days.length) return
    for (const [day, open] of this.#open) if (open.users === 0 && !this.#days.includes(day)) this.#close(day)
  }

  /** Undefined when the day has no file (any more). */
  lease(day: Day): ReaderLease | undefined {
    const open = this.#open.get(day) ?? this.#openDay(day)
    if (!open) return undefined
    open.users++
    if (performance.now() - open.changedMs > QUIET_MS) this.#held.hold(open.reader.database)
    // The order matters only where there are more files than may be open.
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

  #learn(commit: DayCommit): void {
    const open = this.#open.get(commit.day)
    if (!open) return
    open.changedMs = performance.now()
    this.#held.release(open.reader.database)
    open.reader.learn(commit)
  }

  #catchUp(): void {
    const version = this.#control.dataVersion()
    const now = performance.now()
    if (version === this.#controlVersion && now - this.#caughtUpAtMs < CATCH_UP_MS) return
    this.#controlVersion = version
    this.#caughtUpAtMs = now
    for (const { reader } of this.#open.values()) {
      if (!reader.catchUp()) continue
      this.#revision++
      this.#foreignRevision++
    }
  }

  #openDay(day: Day): OpenReader | undefined {
    if (!this.#files.list().includes(day)) return undefined
    try {
      return this.#toOpenReader(day, this.#files.openForReading(day, this.#cacheKib()), false)
    } catch (error) {
      // A full disk: reading a day creates files beside it. Without a log everything is in the file, which can be read alone.
      if (!isStorageFailure(error) || hasLog(this.#files.path(day))) throw error
      const db = new Database(this.#files.path(day), { readOnly: true, isFrozen: true, cacheKib: this.#cacheKib() })
      return this.#toOpenReader(day, db, true)
    }
  }

  #toOpenReader(day: Day, db: Database, isFrozen: boolean): OpenReader {
    this.#revision++
    const reader = new DayReader(day, db, this.#statements, this.#thresholds)
    const open = new OpenReader(reader, isFrozen, () => this.#close(day))
    this.#open.set(day, open)
    return open
  }

  #cacheKib(): number {
    const share = Math.floor(CACHE_KIB / Math.max(1, this.#files.list().length))
    return Math.min(FILE_CACHE_KIB.max, Math.max(FILE_CACHE_KIB.min, share))
  }

  #closeSpare(): void {
    for (const [day, { users }] of this.#open) {
      if (this.#open.size <= OPEN_MAX) return
      if (users === 0) this.#close(day)
    }
  }

  #close(day: Day): void {
    // Nobody looks any more whether others add to it.
    this.#foreignRevision++
    const open = this.#open.get(day)
    if (!open) return
    this.#held.release(open.reader.database)
    open.reader.close()
    this.#open.delete(day)
  }
}

/** What was written and is not in the file itself yet. */
function hasLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
}
