/** Everything that a reading thread can be asked, on its own connections. It takes and returns plain values. */
import { join } from 'node:path'
import {
  type DeliveryTimes,
  type DeliveryTimesQuery,
  receptionsByMessage,
  sampleDeliveryTimes,
} from '../../../events/delivery-times/sample-delivery-times.ts'
import { countListed } from '../../../events/log/count-listed.ts'
import type { ArrivalPage, ArrivalPosition, ArrivalQuery } from '../../../events/log/event-log.ts'
import type { LogPage, LogQuery, MessageQuery } from '../../../events/log/log-query.ts'
import type { CountQuery, MatchCounts } from '../../../events/log/match-counts.ts'
import { countReplies, type Replies, type RepliesQuery } from '../../../events/replies/count-replies.ts'
import type { SeriesQuery } from '../../../stats/series.ts'
import type { DayTrouble, DayUse } from '../../storage.ts'
import { ArrivalReader } from '../arrivals/arrival-reader.ts'
import { CONTROL_FILE } from '../control/control-file.ts'
import { DomainTotals } from '../counts/domain-totals.ts'
import { listHourCounts, toKey } from '../counts/hour-counts.ts'
import { Database } from '../database/database.ts'
import {
  databaseOf,
  isDamagedWithSchema,
  isReadError,
  isStorageFailure,
  readingInterrupted,
} from '../database/storage-failure.ts'
import type { Day } from '../days/day.ts'
import type { DayCommit } from '../days/day-commit.ts'
import { DayFiles } from '../days/day-files.ts'
import type { SummarizedDay } from '../history/history-notice.ts'
import { HistoryReader, LostHistoryError } from '../history/history-reader.ts'
import type { AddCount } from '../history/slot-sums.ts'
import type { NewestEvents } from '../newest/newest-list.ts'
import type { PositionedEvent } from '../newest/newest-pages.ts'
import type { SearchThresholds } from '../reading/day-plan.ts'
import { DayReaders } from '../reading/day-readers.ts'
import { findNewestTimestamp, listDayUse } from '../reading/day-use.ts'
import { LogReader, type NewestQuery } from '../reading/log-reader.ts'
import { DayTroubles } from '../troubles/day-troubles.ts'
import { troubleOf } from '../troubles/troubled-day.ts'
import { type PackedCounts, packCounts } from './packed-counts.ts'
import { type PackedSeries, SeriesPack } from './series-pack.ts'

export interface LogReadsOptions {
  readonly dataDir: string
  readonly serviceMessageIdField: string
  readonly thresholds: SearchThresholds
  /** Page cache of all files that are read. */
  readonly cacheKib?: number
}

/** What a read may come upon. */
export interface LogFindings {
  /** A day was found to be damaged, and is set aside on this thread. */
  readonly onTrouble?: (trouble: DayTrouble) => void
  /** The history index is damaged. */
  readonly onHistoryLost?: () => void
}

/** Counts of one batch of a series: more at a time would delay the serving thread. */
const BATCH_COUNTS = 5000

export class LogReads {
  readonly #control: Database
  readonly #files: DayFiles
  readonly #readers: DayReaders
  readonly #reader: LogReader
  readonly #arrivals: ArrivalReader
  readonly #totals: DomainTotals

  readonly #findings: LogFindings

  constructor(options: LogReadsOptions, findings: LogFindings = {}) {
    const { dataDir, serviceMessageIdField, thresholds, cacheKib } = options
    this.#findings = findings
    this.#control = new Database(join(dataDir, CONTROL_FILE), { readOnly: true })
    this.#files = new DayFiles(dataDir, new DayTroubles(this.#control))
    const history = new HistoryReader(dataDir, findings.onHistoryLost)
    this.#readers = new DayReaders(this.#files, serviceMessageIdField, thresholds, { cacheKib, history })
    this.#reader = new LogReader(this.#readers)
    this.#arrivals = new ArrivalReader(this.#readers)
    this.#totals = new DomainTotals(this.#control, this.#readers)
  }

  learn(commits: readonly DayCommit[]): void {
    for (const learner of [this.#readers, this.#totals, this.#arrivals]) learner.learn(commits)
  }

  /** The last commits are unknown. */
  forget(): void {
    for (const learner of [this.#readers, this.#totals, this.#arrivals]) learner.forget()
  }

  learnSummarized(days: readonly SummarizedDay[]): void {
    this.#readers.learnSummarized(days)
  }

  dropRemoved(): void {
    this.#readers.dropRemoved()
  }

  /** Resolves when no read of this thread uses the day any more. */
  setAside(day: Day): Promise<void> {
    const closed = this.#readers.setAside(day)
    this.#totals.forget()
    return closed
  }

  /** The file of the day was replaced. */
  takeBack(day: Day): void {
    this.#readers.takeBack(day)
    this.#totals.forget()
    this.#arrivals.forget()
  }

  /** Rows of the day were removed: the only place where the reading side learns of it. */
  dropErased(day: Day): void {
    this.#readers.dropErased(day)
  }

  list(query: LogQuery, signal?: AbortSignal): Promise<LogPage> {
    return this.#read(() => this.#reader.list(query, signal))
  }

  count(query: CountQuery, signal?: AbortSignal): Promise<MatchCounts> {
    return this.#read(() => countListed((page) => this.#reader.list(page, signal), { ...query, signal }))
  }

  listNewest(query: NewestQuery): Promise<NewestEvents<PositionedEvent> | LogPage> {
    return this.#read(() => this.#reader.listNewest(query))
  }

  listMessage(query: MessageQuery): Promise<LogPage> {
    return this.#read(() => this.#reader.listMessage(query))
  }

  replies(query: RepliesQuery, signal?: AbortSignal): Promise<Replies> {
    return this.#read(() => countReplies((page) => this.#reader.list(page, signal), query))
  }

  deliveryTimes(query: DeliveryTimesQuery, signal?: AbortSignal): Promise<DeliveryTimes> {
    const list = (page: LogQuery) => this.#reader.list(page, signal)
    return this.#read(() => sampleDeliveryTimes(list, receptionsByMessage(list), query))
  }

  lastArrival(): Promise<ArrivalPosition> {
    return this.#read(() => this.#arrivals.last())
  }

  listArrivals(query: ArrivalQuery): Promise<ArrivalPage> {
    return this.#read(() => this.#arrivals.list(query))
  }

  async counts(domainNumbers: readonly number[]): Promise<PackedCounts> {
    return packCounts(await this.#read(() => this.#totals.list(domainNumbers)))
  }

  /** Counts that were already returned cannot be corrected: a caller that reads a damaged day has to repeat the request. */
  async *series(query: SeriesQuery): AsyncGenerator<PackedSeries> {
    const toText = (key: number | string) => toKey(query.group, key)
    let part = new SeriesPack(toText)
    const full: PackedSeries[] = []
    const add: AddCount = (hour, key, count) => {
      part.add(hour, key, count)
      if (part.size < BATCH_COUNTS) return
      full.push(part.finish())
      part = new SeriesPack(toText)
    }
    try {
      for await (const addTo of listHourCounts(this.#readers, query)) {
        addTo(add)
        yield* full.splice(0)
      }
    } catch (error) {
      this.#giveUp(error, new Set())
      throw isStorageFailure(error) || error instanceof LostHistoryError ? readingInterrupted(error) : error
    }
    if (part.size > 0) yield part.finish()
  }

  findNewestTimestamp(): Promise<number | undefined> {
    return this.#read(async () => findNewestTimestamp(this.#readers))
  }

  listDayUse(): Promise<readonly DayUse[]> {
    return this.#read(() => listDayUse(this.#files, this.#readers))
  }

  /** Reads again without a day that turns out to be damaged, or without the history index: each attempt has less to read. */
  async #read<T>(work: () => Promise<T>): Promise<T> {
    for (const failedOnce = new Set<Day>(); ; ) {
      try {
        return await work()
      } catch (error) {
        if (!this.#giveUp(error, failedOnce)) throw isStorageFailure(error) ? readingInterrupted(error) : error
      }
    }
  }

  /** True if reading again makes sense: the day of the error is set aside now, or its disk has failed for the first time. */
  #giveUp(error: unknown, failedOnce: Set<Day>): boolean {
    // The second time without the history index, or with the new one.
    if (error instanceof LostHistoryError) return true
    const path = databaseOf(error)
    const day = path === undefined ? undefined : this.#files.dayOf(path)
    if (day === undefined) return false
    if (isReadError(error) && !failedOnce.has(day)) {
      failedOnce.add(day)
      this.#readers.reopen(day)
      return true
    }
    if (!isDamagedWithSchema(error) && !isReadError(error)) return false
    void this.setAside(day)
    this.#findings.onTrouble?.(troubleOf(day, error))
    return true
  }

  /** Threads end without it. */
  close(): void {
    this.#readers.close()
    this.#control.close()
  }
}
