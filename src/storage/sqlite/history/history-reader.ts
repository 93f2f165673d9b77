/**
 * The history index as a reading thread sees it: which days it knows, and reads of it. A day is known from the report that it
 * was summarized until the report of a commit to it; every other day is read from its file.
 */
import { existsSync } from 'node:fs'
import { Database } from '../database/database.ts'
import { isStorageFailure } from '../database/storage-failure.ts'
import type { Day } from '../days/day.ts'
import type { DayCommit } from '../days/day-commit.ts'
import { DamagedCountsError } from './domain-day.ts'
import { historyPath } from './history-database.ts'
import type { SummarizedDay } from './history-notice.ts'
import { dayOfNumber, numberOfDay } from './span.ts'

const CACHE_KIB = 2048

/** The index could not be read, or was replaced meanwhile. The same read without it, or with the new one, gives the answer. */
export class LostHistoryError extends Error {}

export class HistoryReader {
  readonly #path: string
  readonly #onLost: () => void
  #db: Database | undefined
  readonly #days = new Map<number, SummarizedDay>()
  /** The keys of `#days`, newest first; undefined after a change. */
  #numbers: readonly number[] | undefined

  /** `onLost`: called when it turns out to be damaged. */
  constructor(dataDir: string, onLost: () => void = () => undefined) {
    this.#path = historyPath(dataDir)
    this.#onLost = onLost
    this.#open()
  }

  has(day: Day): boolean {
    return this.#days.has(numberOfDay(day))
  }

  find(day: Day): SummarizedDay | undefined {
    return this.#days.get(numberOfDay(day))
  }

  /** The days by number, newest first; another list after every change. */
  get numbers(): readonly number[] {
    this.#numbers ??= [...this.#days.keys()].sort((a, b) => b - a)
    return this.#numbers
  }

  learn(commits: readonly DayCommit[]): void {
    for (const { day } of commits) this.drop(day)
  }

  /** The day is read from its file until it is summarized again. */
  drop(day: Day): void {
    if (this.#days.delete(numberOfDay(day))) this.#numbers = undefined
  }

  /** False until there is one that can be read. */
  get isOpen(): boolean {
    return this.#db !== undefined
  }

  learnSummarized(days: readonly SummarizedDay[]): void {
    for (const summarized of days) this.#days.set(numberOfDay(summarized.day), summarized)
    this.#numbers = undefined
  }

  /** Forgets days that have no file, or are set aside. */
  retain(days: ReadonlySet<Day>): void {
    for (const [number, { day }] of this.#days) if (!days.has(day)) this.#days.delete(number)
    this.#numbers = undefined
  }

  /** Opens it again: it may be another file. */
  forget(): void {
    this.close()
    this.#open()
  }

  close(): void {
    this.#db?.close()
    this.#db = undefined
    this.#days.clear()
    this.#numbers = undefined
  }

  /** Reads of one state of the index; undefined without one. Throws LostHistoryError. */
  snapshot<T>(work: (db: Database) => T): T | undefined {
    const db = this.#db
    return db && this.#guard(() => db.snapshot(() => work(db)))
  }

  /** For several reads with pauses: they throw LostHistoryError if the index is replaced in between. */
  startReading(): HistoryReading {
    const db = this.#db
    return {
      read: (work) => {
        if (!db || db !== this.#db) throw new LostHistoryError('the history index was replaced')
        return this.#guard(() => work(db))
      },
    }
  }

  #guard<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      if (!isStorageFailure(error) && !(error instanceof DamagedCountsError)) throw error
      this.close()
      this.#onLost()
      throw new LostHistoryError('the history index cannot be read', { cause: error })
    }
  }

  #open(): void {
    if (!existsSync(this.#path)) return
    try {
      const db = new Database(this.#path, { readOnly: true, cacheKib: CACHE_KIB })
      this.#db = db
      const rows = db.allArrays<[number, number, number, number]>(
        'SELECT day, arrival, events, stored_at_ms FROM day WHERE is_open = 0',
      )
      for (const [number, arrival, events, storedAtMs] of rows) {
        this.#days.set(number, { day: dayOfNumber(number), arrival, events, storedAtMs })
      }
    } catch (error) {
      if (!isStorageFailure(error)) throw error
      this.close()
      this.#onLost()
    }
  }
}

export interface HistoryReading {
  read<T>(work: (db: Database) => T): T
}
