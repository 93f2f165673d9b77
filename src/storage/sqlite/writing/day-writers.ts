/** The open day files of the writing thread, and how a batch that spans several days is committed. */
import { isStorageFailure, storageUnavailable } from '../database/storage-failure.ts'
import type { Day } from '../days/day.ts'
import type { DayCommit } from '../days/day-commit.ts'
import type { DayFiles } from '../days/day-files.ts'
import { requireCommitRoom } from './commit-room.ts'
import { DayWriter, type WriteOutcome } from './day-writer.ts'
import type { EventRow } from './event-row.ts'
import { UntidyDays } from './pending-compactions.ts'

/** Live traffic touches two days; an import goes from one to the next. */
const OPEN_MAX = 3
/** A group touches the last pages of every domain that it has events of, in each tree: they should not be written before the commit. */
const CACHE_KIB = 32_768
const PAGE_KIB = 4

export interface RequestOutcome {
  readonly stored: number
  readonly duplicates: number
  readonly expired: readonly number[]
}

export interface StoreOutcome {
  /** In the order of the requests. */
  readonly requests: readonly RequestOutcome[]
  readonly commits: readonly DayCommit[]
}

export class DayWriters {
  readonly #files: DayFiles
  readonly #isRemoved: (day: Day) => boolean
  /** In order of use, so that the first is the one to close. */
  readonly #open = new Map<Day, DayWriter>()
  readonly #untidy: UntidyDays
  /** The time of the last commit, or later: a clock that is set back must hide nothing from clients that follow arrivals. */
  #stampMs: number

  /** `isRemoved`: whether retention has removed the day. It must not come back: its old events would be stored twice. */
  constructor(files: DayFiles, isRemoved: (day: Day) => boolean) {
    this.#files = files
    this.#isRemoved = isRemoved
    this.#stampMs = Math.ceil(files.writtenAtMs)
    this.#untidy = new UntidyDays((day) => (isRemoved(day) ? undefined : this.#openDay(day, true)))
  }

  /**
   * Stores the rows of several requests. Room for all days is asked for before the first is committed, so that a full disk
   * stops the whole batch. Commits of several days are not atomic together: a crash in between leaves days stored whose
   * requests were not acknowledged, and the repeated request finds them as duplicates. `commits` gets what was committed, also
   * when this throws.
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

  /** Does a step of what can wait. Milliseconds after which there is more to do; undefined when there is nothing. */
  tidy(nowMs: number): number | undefined {
    let soonestMs: number | undefined
    for (const writer of this.#open.values()) {
      const waitMs = writer.tidy(nowMs)
      if (waitMs === 0) return 0
      if (waitMs !== undefined) soonestMs = Math.min(soonestMs ?? waitMs, waitMs)
    }
    return this.#untidy.tidy() ? 0 : soonestMs
  }

  /** Lets go of a day's file, for retention. */
  release(day: Day): void {
    this.#open.get(day)?.close()
    this.#open.delete(day)
    this.#untidy.remove(day)
  }

  close(): void {
    for (const writer of this.#open.values()) writer.close()
    this.#open.clear()
    this.#untidy.close()
  }

  /** Undefined for a day that is gone. */
  #begin(writers: Map<Day, DayWriter>, day: Day): DayWriter | undefined {
    const begun = writers.get(day)
    if (begun) return begun
    if (!this.#open.has(day) && this.#isRemoved(day)) return undefined
    const writer = this.#open.get(day) ?? this.#openDay(day, this.#untidy.remove(day))
    this.#open.delete(day)
    this.#open.set(day, writer)
    writers.set(day, writer)
    writer.begin()
    this.#closeSpare(writers)
    return writer
  }

  #openDay(day: Day, isUntidy: boolean): DayWriter {
    const writer = new DayWriter(day, this.#files.openForWriting(day, CACHE_KIB))
    if (isUntidy) writer.resumeTidying()
    return writer
  }

  #closeSpare(inUse: ReadonlyMap<Day, DayWriter>): void {
    for (const day of this.#open.keys()) {
      if (this.#open.size <= OPEN_MAX) return
      if (inUse.has(day)) continue
      const isTidy = this.#open.get(day)?.isTidy ?? true
      this.release(day)
      if (!isTidy) this.#untidy.add(day)
    }
  }

  /**
   * The file stays open if it can: closing it would take away what readers need beside it, and a full disk has no room to
   * make that again.
   */
  #abandon(writer: DayWriter): void {
    try {
      writer.rollback()
    } catch {
      this.release(writer.day)
    }
  }
}

function summarize(outcomes: readonly WriteOutcome[]): RequestOutcome {
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
