/** The open day files of the writing thread, and how a batch that spans several days is committed. */
import type { AppendResult } from '../../../events/log/event-log.ts'
import { isStorageFailure, storageUnavailable } from '../database/storage-failure.ts'
import type { Day } from '../days/day.ts'
import type { DayCommit } from '../days/day-commit.ts'
import type { DayFiles } from '../days/day-files.ts'
import { requireCommitRoom } from './commit-room.ts'
import { DayWriter, type WriteOutcome } from './day-writer.ts'
import type { EventRow } from './event-row.ts'

/** Live traffic touches two days; an import goes from one to the next. */
const OPEN_MAX = 3
/** A group touches the last pages of each of its domains in every tree: they should not be spilled before the commit. */
const CACHE_KIB = 32_768
const PAGE_KIB = 4

export interface StoreOutcome {
  /** In the order of the requests. */
  readonly requests: readonly AppendResult[]
  readonly commits: readonly DayCommit[]
}

export class DayWriters {
  readonly #files: DayFiles
  readonly #isRemoved: (day: Day) => boolean
  /** In order of use, so that the first is the one to close. */
  #open = new Map<Day, DayWriter>()
  /** Days that were closed with compaction pending: opened again, one after the other, when the thread is idle. */
  readonly #uncompacted = new Set<Day>()
  /** The time of the last commit, or later: a clock that is set back must hide nothing from clients that follow arrivals. */
  #stampMs: number

  /** `isRemoved`: whether retention has removed the day. It must not come back: its old events would be stored twice. */
  constructor(files: DayFiles, isRemoved: (day: Day) => boolean) {
    this.#files = files
    this.#isRemoved = isRemoved
    this.#stampMs = Math.ceil(files.writtenAtMs)
  }

  /**
   * Stores the rows of several requests. Room for all days is asked for before the first is committed, so that a full disk
   * stops the whole batch. Commits of several days are not atomic together: a crash in between leaves days stored whose
   * requests were not acknowledged, and the repeated request finds them as duplicates. Every commit is added to `commits`,
   * also when this throws.
   */
  store(requests: readonly (readonly EventRow[])[], nowMs: number, commits: DayCommit[] = []): StoreOutcome {
    const writers = new Map<Day, DayWriter>()
    try {
      const outcomes = requests.map((rows) =>
        summarize(rows.map((row) => this.#begin(writers, row.day)?.write(row) ?? 'expired')),
      )
      this.#stampMs = Math.max(this.#stampMs, nowMs)
      const pending = [...writers.values()].map((writer) => ({ writer, commit: writer.finish(nowMs, this.#stampMs) }))
      this.#requireRoom([...writers.values()])
      for (const { writer, commit } of pending) {
        writer.commit()
        commits.push(commit)
      }
      return { requests: outcomes, commits }
    } catch (error) {
      for (const writer of writers.values()) this.#abandon(writer)
      throw isStorageFailure(error) ? storageUnavailable(error) : error
    }
  }

  #requireRoom(writers: readonly DayWriter[]): void {
    // One day is stored whole or not at all, whatever happens.
    if (writers.length < 2) return
    const commits = writers.map((writer) => ({ ...writer.pending(), cachePages: CACHE_KIB / PAGE_KIB }))
    requireCommitRoom(this.#files.folder, commits)
  }

  /** Does a step of compaction. Returns the milliseconds until the next step; undefined when there is nothing to do. */
  compact(nowMs: number): number | undefined {
    let soonestMs: number | undefined
    for (const writer of this.#open.values()) {
      const waitMs = writer.compact(nowMs)
      if (waitMs === 0) return 0
      if (waitMs !== undefined) soonestMs = Math.min(soonestMs ?? waitMs, waitMs)
      else if (this.#open.size > OPEN_MAX) this.release(writer.day)
    }
    const [day] = this.#uncompacted
    if (day === undefined) return soonestMs
    if (this.#isRemoved(day)) this.#uncompacted.delete(day)
    // At the front of the queue: the first to be compacted, and the first to be closed.
    else this.#open = new Map([[day, this.#openDay(day)], ...this.#open])
    return 0
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
    if (!isCompacted) writer.resumeCompaction()
    return writer
  }

  #closeSpare(inUse: ReadonlyMap<Day, DayWriter>): void {
    for (const day of this.#open.keys()) {
      if (this.#open.size <= OPEN_MAX) return
      if (inUse.has(day)) continue
      const isCompacted = this.#open.get(day)?.isCompacted ?? true
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
