/** The open day files of the writing thread, and how a batch that spans several days is committed. */
import type { AppendResult } from '../../../events/log/event-log.ts'
import { AppError } from '../../../lib/app-error.ts'
import type { DayTrouble } from '../../storage.ts'
import { isDamagedWithSchema, isReadError, isStorageFailure, storageUnavailable } from '../database/storage-failure.ts'
import type { Day } from '../days/day.ts'
import type { DayCommit } from '../days/day-commit.ts'
import { type DayFiles, DaySetAsideError } from '../days/day-files.ts'
import { type DayErasure, type ErasedStep, eraseRows } from '../erasing/erase-rows.ts'
import { troubleOf } from '../troubles/troubled-day.ts'
import { requireCommitRoom } from './commit-room.ts'
import { DayWriter, type WriteOutcome } from './day-writer.ts'
import type { EventRow } from './event-row.ts'

/** Live traffic touches two days; an import goes from one to the next. */
const OPEN_MAX = 3
/** A group touches the last pages of each of its domains in every tree: they should not be spilled before the commit. */
const CACHE_KIB = 32_768
const PAGE_KIB = 4
const CACHE_PAGES = CACHE_KIB / PAGE_KIB
/** The first commit of a day: its file, then its WAL. */
const NEW_DAY = { rows: 1, pages: 64, cachePages: CACHE_PAGES } as const

/** What became of a request: of all its rows, or the days because of which some of them are not stored. */
export type RequestOutcome = AppendResult | RefusedRequest

export interface RefusedRequest {
  /** Days that are set aside. If there are none, the disk is at fault. */
  readonly setAside: readonly Day[]
  /** Rows of the other days that were stored. */
  readonly stored: number
}

export interface StoreOutcome {
  /** In the order of the requests. */
  readonly requests: readonly RequestOutcome[]
  readonly commits: readonly DayCommit[]
  /** Of each row, in order: its arrival number, 0 if it was not stored. Without meaning for days that are not in `commits`. */
  readonly arrivals: readonly number[]
  /** Why a day could not be written, although it is not set aside. */
  readonly failure?: unknown
}

/** Consecutive read errors after which a day is set aside. */
const READ_ERRORS_MAX = 2

/** The rest of the service, as far as writing concerns it. */
export interface WritingService {
  /** A day was found to be damaged, and is set aside. */
  readonly onTrouble?: (trouble: DayTrouble) => void
  /** Whether the domain was removed. Events that were on their way then are not stored. */
  readonly isRemovedDomain?: (domain: number) => boolean
}

/** The days of one call. */
interface Group {
  readonly writers: Map<Day, DayWriter>
  /** Days that could not be written. */
  readonly failed: Map<Day, unknown>
  /** Of the rows so far. */
  readonly arrivals: number[]
}

export class DayWriters {
  readonly #files: DayFiles
  readonly #isRemoved: (day: Day) => boolean
  readonly #onTrouble: (trouble: DayTrouble) => void
  readonly #isRemovedDomain: (domain: number) => boolean
  /** Days that another thread is rewriting. */
  readonly #locked = new Set<Day>()
  /** In order of use, so that the first is the one to close. */
  #open = new Map<Day, DayWriter>()
  /** Days that were closed with compaction pending: opened again, one after the other, when the thread is idle. */
  readonly #uncompacted = new Set<Day>()
  readonly #aside = new Set<Day>()
  /** Since the last commit of the day. */
  readonly #readErrors = new Map<Day, number>()
  /** The time of the last commit, or later: a clock that is set back must hide nothing from clients that follow arrivals. */
  #stampMs: number

  /** `isRemoved`: whether retention has removed the day. It must not come back: its old events would be stored twice. */
  constructor(files: DayFiles, isRemoved: (day: Day) => boolean, service: WritingService = {}) {
    this.#files = files
    this.#isRemoved = isRemoved
    this.#onTrouble = service.onTrouble ?? (() => undefined)
    this.#isRemovedDomain = service.isRemovedDomain ?? (() => false)
    this.#stampMs = Math.ceil(files.writtenAtMs)
  }

  /**
   * Stores the rows of several requests. Room for all days is asked for before the first is committed, so that a full disk
   * stops the whole batch. Commits of several days are not atomic together: a crash in between leaves days stored whose
   * requests were not acknowledged, and the repeated request finds them as duplicates. A day that fails does not keep the
   * others from being stored: only the requests that have rows of it are refused. Every commit is added to `commits`, also
   * when this throws.
   */
  store(requests: readonly (readonly EventRow[])[], nowMs: number, commits: DayCommit[] = []): StoreOutcome {
    const group: Group = { writers: new Map(), failed: new Map(), arrivals: [] }
    const { writers, failed, arrivals } = group
    try {
      const outcomes = requests.map((rows) => rows.map((row) => this.#write(group, row)))
      this.#stampMs = Math.max(this.#stampMs, nowMs)
      const pending = new Map<DayWriter, DayCommit>()
      for (const writer of writers.values()) {
        this.#attempt(group, writer.day, () => pending.set(writer, writer.finish(nowMs, this.#stampMs)))
      }
      this.#requireRoom([...writers.values()])
      for (const [writer, commit] of pending) {
        this.#attempt(group, writer.day, () => {
          writer.commit()
          commits.push(commit)
          this.#readErrors.delete(writer.day)
        })
      }
      const [failure] = failed.values()
      const toOutcome = (rows: readonly EventRow[], index: number) =>
        this.#refusal(rows, failed, outcomes[index] ?? []) ?? summarize(outcomes[index] ?? [])
      return { requests: requests.map(toOutcome), commits, arrivals, failure }
    } catch (error) {
      for (const writer of writers.values()) this.#abandon(writer)
      throw isStorageFailure(error) ? storageUnavailable(error) : error
    }
  }

  #write(group: Group, row: EventRow): WriteOutcome {
    const { day } = row
    const at = group.arrivals.push(0) - 1
    if (group.failed.has(day) || this.#aside.has(day) || this.#isRemovedDomain(row.domain)) return 'expired'
    try {
      const writer = this.#begin(group.writers, day)
      const outcome = writer?.write(row) ?? 'expired'
      if (writer && outcome === 'stored') group.arrivals[at] = writer.arrival
      return outcome
    } catch (error) {
      this.#fail(group, day, error)
      return 'expired'
    }
  }

  #attempt(group: Group, day: Day, work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#fail(group, day, error)
    }
  }

  /** The group goes on without this day. Throws what is not a failure of storage. */
  #fail(group: Group, day: Day, error: unknown): void {
    if (!this.setAsideIfDamaged(day, error)) {
      if (!isStorageFailure(error)) throw error
      group.failed.set(day, error)
      const writer = group.writers.get(day)
      if (writer) this.#abandon(writer)
    }
    group.writers.delete(day)
  }

  /** Undefined if every row was written. Whatever happened to rows before their day failed was undone with it. */
  #refusal(
    rows: readonly EventRow[],
    failed: ReadonlyMap<Day, unknown>,
    outcomes: readonly WriteOutcome[],
  ): RefusedRequest | undefined {
    const isRefused = ({ day }: EventRow) => failed.has(day) || this.#aside.has(day)
    if (!rows.some(isRefused)) return undefined
    const days = [...new Set(rows.map(({ day }) => day))]
    const stored = rows.filter((row, at) => outcomes[at] === 'stored' && !isRefused(row)).length
    return { setAside: days.filter((day) => this.#aside.has(day)), stored }
  }

  /** Whether the error means that the day cannot be used any more. It is set aside then. */
  setAsideIfDamaged(day: Day, error: unknown): boolean {
    if (error instanceof DaySetAsideError) {
      this.setAside(day)
      this.#onTrouble(error.trouble)
      return true
    }
    if (!isDamagedWithSchema(error) && !this.#isUnreadable(day, error)) return false
    this.setAside(day)
    this.#onTrouble(troubleOf(day, error))
    return true
  }

  /** Whether the disk has not returned the day repeatedly. */
  #isUnreadable(day: Day, error: unknown): boolean {
    if (!isReadError(error)) return false
    const errors = (this.#readErrors.get(day) ?? 0) + 1
    this.#readErrors.set(day, errors)
    return errors >= READ_ERRORS_MAX
  }

  /** Closes the day and refuses its rows, until it is taken back. */
  setAside(day: Day): void {
    this.#aside.add(day)
    this.#uncompacted.delete(day)
    const writer = this.#open.get(day)
    this.#open.delete(day)
    writer?.discard()
  }

  /** These days and no others. */
  setAsideOnly(days: readonly Day[]): void {
    for (const day of this.#aside) this.takeBack(day)
    for (const day of days) this.setAside(day)
  }

  takeBack(day: Day): void {
    this.#aside.delete(day)
    this.#readErrors.delete(day)
  }

  /** Throws what keeps the days that are being written from being committed. */
  probe(): void {
    for (const writer of this.#open.values()) {
      try {
        writer.probe()
      } catch (error) {
        if (!this.setAsideIfDamaged(writer.day, error)) throw error
      }
    }
    this.requireRoom()
  }

  /** Throws if the disk has no room for an event on each of the days that are being written. */
  requireRoom(): void {
    const days = [...this.#open.values()].map((writer) => ({ ...NEW_DAY, pages: writer.pending().pages }))
    requireCommitRoom(this.#files.folder, [...days, NEW_DAY])
  }

  /** Removes a bounded number of rows of a day. Nothing is left of a day that has no file. */
  erase(day: Day, erasure: DayErasure): ErasedStep {
    if (!this.#files.has(day) || this.#isRemoved(day)) return { removed: 0, rows: 0, isDone: true }
    const open = this.#open.get(day)
    const writer = open ?? this.#openDay(day)
    try {
      return writer.erase((db) => eraseRows(db, erasure))
    } catch (error) {
      // The caller reports a day from which nothing can be removed, and continues with the others.
      if (this.setAsideIfDamaged(day, error)) return { removed: 0, rows: 0, isDone: true }
      throw error
    } finally {
      if (!open) writer.close()
    }
  }

  /** Closes a day that another thread will rewrite: until it is unlocked, its events are refused. */
  lock(day: Day): void {
    this.release(day)
    this.#locked.add(day)
  }

  unlock(day: Day): void {
    this.#locked.delete(day)
  }

  #requireRoom(writers: readonly DayWriter[]): void {
    // One day is stored whole or not at all, whatever happens.
    if (writers.length < 2) return
    const commits = writers.map((writer) => ({ ...writer.pending(), cachePages: CACHE_PAGES }))
    requireCommitRoom(this.#files.folder, commits)
  }

  /** Does a step of compaction. Returns the milliseconds until the next step; undefined when there is nothing to do. */
  compact(nowMs: number): number | undefined {
    let soonestMs: number | undefined
    for (const writer of this.#open.values()) {
      const waitMs = this.#inBackground(writer.day, () => writer.compact(nowMs))
      if (waitMs === 0) return 0
      if (waitMs !== undefined) soonestMs = Math.min(soonestMs ?? waitMs, waitMs)
      else if (this.#open.size > OPEN_MAX) this.release(writer.day)
    }
    const [day] = this.#uncompacted
    if (day === undefined) return soonestMs
    if (this.#isRemoved(day)) this.#uncompacted.delete(day)
    // At the front of the queue: the first to be compacted, and the first to be closed.
    else {
      const writer = this.#inBackground(day, () => this.#openDay(day))
      if (writer) this.#open = new Map([[day, writer], ...this.#open])
    }
    return 0
  }

  /** Compaction changes no answer: a day that cannot be compacted stays as it is, and the next write reports a broken disk. */
  #inBackground<T>(day: Day, work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      if (!this.setAsideIfDamaged(day, error) && !isStorageFailure(error)) throw error
      return undefined
    }
  }

  /** Whether the day's file is open, will be opened for compaction, or must not be opened. */
  isBusy(day: Day): boolean {
    return this.#open.has(day) || this.#uncompacted.has(day) || this.#locked.has(day) || this.#aside.has(day)
  }

  /** Closes a day's file, for retention. */
  release(day: Day): void {
    this.#open.get(day)?.close()
    this.#open.delete(day)
    this.#uncompacted.delete(day)
  }

  close(): void {
    for (const writer of this.#open.values()) writer.close()
    this.#open.clear()
  }

  /** Undefined for a day that is gone. */
  #begin(writers: Map<Day, DayWriter>, day: Day): DayWriter | undefined {
    const begun = writers.get(day)
    if (begun) return begun
    if (!this.#open.has(day) && this.#isRemoved(day)) return undefined
    if (this.#locked.has(day)) throw dayIsLocked(day)
    const writer = this.#open.get(day) ?? this.#openDay(day)
    this.#open.delete(day)
    this.#open.set(day, writer)
    writers.set(day, writer)
    writer.begin()
    this.#closeSpare(writers)
    return writer
  }

  /** A day that cannot be opened is no longer queued for compaction. */
  #openDay(day: Day): DayWriter {
    const isCompacted = !this.#uncompacted.delete(day)
    const db = this.#files.openForWriting(day, CACHE_KIB)
    const writer = new DayWriter(day, db, this.#files.claimsOf(db))
    try {
      if (!isCompacted) writer.resumeCompaction()
    } catch (error) {
      writer.discard()
      throw error
    }
    return writer
  }

  #closeSpare(inUse: ReadonlyMap<Day, DayWriter>): void {
    for (const [day, writer] of this.#open) {
      if (this.#open.size <= OPEN_MAX) return
      if (inUse.has(day)) continue
      const { isCompacted } = writer
      this.release(day)
      if (!isCompacted) this.#uncompacted.add(day)
    }
  }

  /**
   * The file stays open if possible: closing it would remove the files that readers need beside it, and a full disk has no room
   * to create them again.
   */
  #abandon(writer: DayWriter): void {
    try {
      writer.rollback()
    } catch {
      this.release(writer.day)
    }
  }
}

/** Refused, not delayed: others would wait too. The sender retries. */
export function dayIsLocked(day: Day): AppError {
  return new AppError('overloaded', `The file of ${day} is being rewritten. Send the request again later.`)
}

function summarize(outcomes: readonly WriteOutcome[]): AppendResult {
  let stored = 0
  let duplicates = 0
  const expired: number[] = []
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome === 'stored') stored++
    else if (outcome === 'duplicate') duplicates++
    else expired.push(index)
  }
  return { stored, duplicates, expired }
}
