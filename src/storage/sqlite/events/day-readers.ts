/** The open day files of the reading side. A file stays open while somebody uses it and, if there is room, afterwards. */
import { statSync } from 'node:fs'
import { Database } from '../database.ts'
import { isStorageFailure } from '../storage-failure.ts'
import type { Day } from './day.ts'
import type { DayCommit } from './day-commit.ts'
import type { DayFiles } from './day-files.ts'
import { DayReader } from './day-reader.ts'
import type { SearchThresholds } from './day-search.ts'
import { SearchStatements } from './search-statements.ts'

const OPEN_MAX = 128
const CACHE_KIB = 2048
/** A process that writes says so in the control file. One that was killed before it could is noticed after this long. */
const CATCH_UP_MS = 1000

export interface ReaderLease extends Disposable {
  readonly reader: DayReader
}

interface OpenReader {
  readonly reader: DayReader
  /** Sees no changes, so it is closed as soon as nobody uses it. */
  readonly isFrozen: boolean
  users: number
}

export class DayReaders {
  readonly #control: Database
  readonly #files: DayFiles
  readonly #statements: SearchStatements
  readonly #thresholds: SearchThresholds
  /** In order of use, so that the first is the one to close. */
  readonly #open = new Map<Day, OpenReader>()

  #revision = 0
  #controlVersion = -1
  #caughtUpAtMs = 0

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

  /** Told of commits of this process. */
  learn(commits: readonly DayCommit[]): void {
    for (const commit of commits) this.#open.get(commit.day)?.reader.learn(commit)
    this.#revision++
  }

  /** The days that have a file, newest first; what is in them is known from here on. Files that are gone are let go of. */
  days(): readonly Day[] {
    this.#catchUp()
    const days = this.#files.list()
    if (this.#open.size > days.length) {
      for (const [day, open] of this.#open) if (open.users === 0 && !days.includes(day)) this.#close(day)
    }
    return days
  }

  /** Undefined when the day has no file (any more). */
  lease(day: Day): ReaderLease | undefined {
    const open = this.#open.get(day) ?? this.#openDay(day)
    if (!open) return undefined
    this.#open.delete(day)
    this.#open.set(day, open)
    open.users++
    this.#closeSpare()
    return {
      reader: open.reader,
      [Symbol.dispose]: () => {
        open.users--
        if (open.isFrozen && open.users === 0) this.#close(day)
      },
    }
  }

  close(): void {
    for (const day of this.#open.keys()) this.#close(day)
  }

  /** Commits of other processes are noticed at once, and for next to nothing while there are none. */
  #catchUp(): void {
    const version = this.#control.dataVersion()
    const now = performance.now()
    if (version === this.#controlVersion && now - this.#caughtUpAtMs < CATCH_UP_MS) return
    this.#controlVersion = version
    this.#caughtUpAtMs = now
    for (const { reader } of this.#open.values()) if (reader.catchUp()) this.#revision++
  }

  #openDay(day: Day): OpenReader | undefined {
    if (!this.#files.list().includes(day)) return undefined
    try {
      return this.#toOpenReader(day, this.#files.openForReading(day, CACHE_KIB), false)
    } catch (error) {
      // A full disk: reading a day creates files beside it. Without a log everything is in the file, which can be read alone.
      if (!isStorageFailure(error) || hasLog(this.#files.path(day))) throw error
      const db = new Database(this.#files.path(day), { readOnly: true, isFrozen: true, cacheKib: CACHE_KIB })
      return this.#toOpenReader(day, db, true)
    }
  }

  #toOpenReader(day: Day, db: Database, isFrozen: boolean): OpenReader {
    this.#revision++
    return { reader: new DayReader(day, db, this.#statements, this.#thresholds), isFrozen, users: 0 }
  }

  #closeSpare(): void {
    for (const [day, { users }] of this.#open) {
      if (this.#open.size <= OPEN_MAX) return
      if (users === 0) this.#close(day)
    }
  }

  #close(day: Day): void {
    this.#open.get(day)?.reader.close()
    this.#open.delete(day)
  }
}

/** What was written and is not in the file itself yet. */
function hasLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
}
