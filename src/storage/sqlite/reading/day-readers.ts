/**
 * The open day files of the reading side. A file stays open while it is used and, if there is room, afterwards. The list of
 * days is read from the folder at the start and kept current by the commits of this process: a server owns its data.
 */
import { Database } from '../database/database.ts'
import { hasWal } from '../database/has-wal.ts'
import { isStorageFailure } from '../database/storage-failure.ts'
import type { Day } from '../days/day.ts'
import type { DayCommit } from '../days/day-commit.ts'
import type { DayFiles } from '../days/day-files.ts'
import type { SummarizedDay } from '../history/history-notice.ts'
import type { HistoryReader, HistoryReading } from '../history/history-reader.ts'
import { findFirst, searchHistory } from '../history/history-search.ts'
import { dayOfNumber, numberOfDay } from '../history/span.ts'
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

export interface SplitDays {
  readonly live: readonly Day[]
  /** By number. */
  readonly known: readonly number[]
  readonly reading: HistoryReading
}

export interface ReaderLease extends Disposable {
  readonly reader: DayReader
}

class OpenReader implements ReaderLease {
  readonly reader: DayReader
  readonly #onUnused: () => void
  users = 0
  changedMs = Number.NEGATIVE_INFINITY

  constructor(reader: DayReader, onUnused: () => void) {
    this.reader = reader
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
  readonly history: HistoryReader
  #days: readonly Day[] = []
  #daySet: ReadonlySet<Day> = new Set()
  /** The days that the history index does not know, for the days that it knew then; undefined after a change. */
  #live: { readonly known: readonly number[]; readonly days: readonly Day[] } | undefined

  constructor(
    files: DayFiles,
    serviceMessageIdField: string,
    thresholds: SearchThresholds,
    { cacheKib = CACHE_KIB, history }: { readonly cacheKib?: number | undefined; readonly history: HistoryReader },
  ) {
    this.#files = files
    this.history = history
    this.#thresholds = thresholds
    this.#cacheKibOfAll = cacheKib
    this.#statements = new SearchStatements(serviceMessageIdField)
    this.dropRemoved()
  }

  /** The days that have a file, newest first. */
  get days(): readonly Day[] {
    return this.#days
  }

  learn(commits: readonly DayCommit[]): void {
    this.history.learn(commits)
    for (const commit of commits) {
      this.#addDay(commit.day)
      const open = this.#open.get(commit.day)
      if (!open) continue
      open.changedMs = performance.now()
      this.#held.release(open.reader.db)
      open.reader.learn(commit)
    }
  }

  learnSummarized(days: readonly SummarizedDay[]): void {
    // Created after this thread has last looked for it.
    if (!this.history.isOpen) this.#openHistory()
    else this.history.learnSummarized(days.filter(({ day }) => this.#daySet.has(day)))
  }

  /** There is a commit that was not announced here yet: the next read of the day sees it. */
  refresh(day: Day): void {
    if (this.#files.has(day)) this.#addDay(day)
    const open = this.#open.get(day)
    if (open) this.#held.release(open.reader.db)
  }

  /** To be called after retention: closes the files of removed days, whose space is freed only then. */
  dropRemoved(): void {
    this.#setDays(this.#files.list().filter((day) => !this.#aside.has(day)))
    this.history.retain(this.#daySet)
    for (const [day, { users }] of this.#open) if (users === 0 && !this.#daySet.has(day)) this.#close(day)
  }

  /** Leaves the day out of all reads from now on. Resolves when nobody has it open. */
  async setAside(day: Day): Promise<void> {
    this.#aside.add(day)
    this.#setDays(this.#days.filter((other) => other !== day))
    this.history.retain(this.#daySet)
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

  /** Rows of the day were removed: what is remembered of it may contain them. */
  dropErased(day: Day): void {
    this.history.drop(day)
    const open = this.#open.get(day)
    if (!open) return
    this.#held.release(open.reader.db)
    open.reader.forget()
    open.reader.forgetTexts()
  }

  /** After the writing thread has died, or the history index was replaced: the last commits are unknown. */
  forget(): void {
    this.#held.releaseAll()
    this.#openHistory()
    this.dropRemoved()
    for (const { reader } of this.#open.values()) reader.forget()
  }

  /** The days in a range (both inclusive), newest first: those to read from their files, and those of the history index. */
  split(oldest: Day, newest: Day): SplitDays {
    const { numbers } = this.history
    if (this.#live?.known !== numbers) {
      this.#live = { known: numbers, days: this.#days.filter((day) => !this.history.has(day)) }
    }
    const known = numbers.slice(findFirst(numbers, numberOfDay(newest)), findFirst(numbers, numberOfDay(oldest) - 1))
    return {
      live: this.#live.days.filter((day) => day <= newest && day >= oldest),
      known,
      reading: this.history.startReading(),
    }
  }

  /** The days in a range that may have matches, newest first; undefined to let others have the thread. */
  *candidates(domains: readonly number[], search: LogSearch, oldest: Day, newest: Day): Generator<Day | undefined> {
    const { live, known, reading } = this.split(oldest, newest)
    const isRuledOut = (day: Day) => this.#isRuledOut(day, domains, search)
    let at = 0
    // While there are newer days, the index is not needed.
    const newestKnown = known[0] === undefined ? '' : dayOfNumber(known[0])
    const takeLive = (after: Day) => {
      const from = at
      while ((live[at] ?? '') > after) at++
      return live.slice(from, at).filter((day) => !isRuledOut(day))
    }
    yield* takeLive(newestKnown)
    for (const day of searchHistory(reading, known, domains, search, isRuledOut)) {
      if (day !== undefined) yield* takeLive(day)
      yield day
    }
    yield* takeLive('')
  }

  /** Whether the counts in memory rule out a match: most days of a search are skipped by this. */
  #isRuledOut(day: Day, domains: readonly number[], search: LogSearch): boolean {
    const reader = this.#open.get(day)?.reader
    return reader?.isKnown === true && !reader.mayHave(domains, search)
  }

  /** Undefined when the day has no file. */
  lease(day: Day): ReaderLease | undefined {
    if (this.#aside.has(day)) return undefined
    const open = this.#open.get(day) ?? this.#openDay(day)
    if (!open) return undefined
    open.users++
    open.reader.isSummarized = this.history.has(day)
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
    this.history.close()
    for (const day of this.#open.keys()) this.#close(day)
  }

  #openHistory(): void {
    this.history.forget()
    this.history.retain(this.#daySet)
  }

  #addDay(day: Day): void {
    if (!this.#daySet.has(day) && !this.#aside.has(day)) this.#setDays([...this.#days, day].sort().reverse())
  }

  #setDays(days: readonly Day[]): void {
    this.#days = days
    this.#daySet = new Set(days)
    this.#live = undefined
  }

  #openDay(day: Day): OpenReader | undefined {
    try {
      const db = this.#files.openIfPresent(day, this.#cacheKib())
      return db && this.#toOpenReader(day, db, false)
    } catch (error) {
      // The disk may be full, and opening a day creates files beside it. Without a WAL the file is complete and can be read alone.
      if (!isStorageFailure(error) || hasWal(this.#files.path(day))) throw error
      const db = new Database(this.#files.path(day), { readOnly: true, isFrozen: true, cacheKib: this.#cacheKib() })
      return this.#toOpenReader(day, db, true)
    }
  }

  /** `isFrozen`: it sees no changes, so it is closed as soon as it is unused. */
  #toOpenReader(day: Day, db: Database, isFrozen: boolean): OpenReader {
    const reader = new DayReader(day, db, this.#statements, this.#thresholds)
    const open = new OpenReader(reader, () => {
      if (isFrozen || !this.#daySet.has(day)) this.#close(day)
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
    // Closing ends a read transaction too.
    open.reader.close()
    this.#onClosed.get(day)?.()
    this.#onClosed.delete(day)
  }
}
