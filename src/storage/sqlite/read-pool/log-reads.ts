/** Everything that a reading thread can be asked, on its own connections. It takes and returns plain values. */
import { join } from 'node:path'
import type { ArrivalPage, ArrivalPosition, ArrivalQuery } from '../../../events/log/event-log.ts'
import type { LogPage, LogQuery, MessageQuery } from '../../../events/log/log-query.ts'
import type { HourCount, SeriesQuery } from '../../../stats/series.ts'
import type { DayUse } from '../../storage.ts'
import { ArrivalReader } from '../arrivals/arrival-reader.ts'
import { CONTROL_FILE } from '../control/control-database.ts'
import { DomainTotals } from '../counts/domain-totals.ts'
import { listHourCounts } from '../counts/hour-counts.ts'
import { Database } from '../database/database.ts'
import type { DayCommit } from '../days/day-commit.ts'
import { DayFiles } from '../days/day-files.ts'
import { DayTroubles } from '../days/day-troubles.ts'
import type { SearchThresholds } from '../reading/day-plan.ts'
import { DayReaders } from '../reading/day-readers.ts'
import { findNewestTimestamp, listDayUse } from '../reading/day-use.ts'
import { LogReader, type NewestQuery } from '../reading/log-reader.ts'
import type { NewestEvents } from '../reading/newest-pages.ts'
import { type PackedCounts, packCounts } from './packed-counts.ts'

export interface LogReadsOptions {
  readonly dataDir: string
  readonly serviceMessageIdField: string
  readonly thresholds: SearchThresholds
  /** Page cache of all files that are read. */
  readonly cacheKib?: number
}

/** Objects of one batch of a series: copying more at a time would delay the serving thread. */
const BATCH_COUNTS = 2000

export class LogReads {
  readonly #files: DayFiles
  readonly #readers: DayReaders
  readonly #reader: LogReader
  readonly #arrivals: ArrivalReader
  readonly #totals: DomainTotals

  constructor({ dataDir, serviceMessageIdField, thresholds, cacheKib }: LogReadsOptions) {
    const control = new Database(join(dataDir, CONTROL_FILE), { readOnly: true })
    this.#files = new DayFiles(dataDir, new DayTroubles(control))
    this.#readers = new DayReaders(this.#files, serviceMessageIdField, thresholds, cacheKib)
    this.#reader = new LogReader(this.#readers)
    this.#arrivals = new ArrivalReader(this.#readers)
    this.#totals = new DomainTotals(control, this.#readers)
  }

  learn(commits: readonly DayCommit[]): void {
    for (const learner of [this.#readers, this.#totals, this.#arrivals]) learner.learn(commits)
  }

  /** The last commits are unknown. */
  forget(): void {
    for (const learner of [this.#readers, this.#totals, this.#arrivals]) learner.forget()
  }

  dropRemoved(): void {
    this.#readers.dropRemoved()
  }

  list(query: LogQuery, signal?: AbortSignal): Promise<LogPage> {
    return this.#reader.list(query, signal)
  }

  listNewest(query: NewestQuery): Promise<NewestEvents | LogPage> {
    return this.#reader.listNewest(query)
  }

  listMessage(query: MessageQuery): Promise<LogPage> {
    return this.#reader.listMessage(query)
  }

  lastArrival(): Promise<ArrivalPosition> {
    return this.#arrivals.last()
  }

  listArrivals(query: ArrivalQuery): Promise<ArrivalPage> {
    return this.#arrivals.list(query)
  }

  async counts(domainNumbers: readonly number[]): Promise<PackedCounts> {
    return packCounts(await this.#totals.list(domainNumbers))
  }

  async *series(query: SeriesQuery): AsyncGenerator<readonly HourCount[]> {
    for await (const counts of listHourCounts(this.#readers, query)) {
      for (let at = 0; at < counts.length; at += BATCH_COUNTS) yield counts.slice(at, at + BATCH_COUNTS)
    }
  }

  async findNewestTimestamp(): Promise<number | undefined> {
    return findNewestTimestamp(this.#readers)
  }

  listDayUse(): Promise<readonly DayUse[]> {
    return listDayUse(this.#files, this.#readers)
  }
}
