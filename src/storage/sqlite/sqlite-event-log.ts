/** The event log in day files: appended by the writing thread, read here. */

import type { AppendResult, AttributedEvent, EventLog } from '../../events/log/event-log.ts'
import type { LogPage, LogQuery, MessageQuery } from '../../events/log/log-query.ts'
import { nextTurn } from '../../lib/turns/next-turn.ts'
import type { DomainCounts } from '../../stats/domain-counts.ts'
import type { EventCounts } from '../../stats/event-counts.ts'
import type { HourCount, SeriesQuery } from '../../stats/series.ts'
import { SqliteArrivals } from './arrivals/sqlite-arrivals.ts'
import { DomainTotals } from './counts/domain-totals.ts'
import { listHourCounts } from './counts/hour-counts.ts'
import type { Database } from './database/database.ts'
import type { Day } from './days/day.ts'
import type { DayCommit } from './days/day-commit.ts'
import type { DayReaders } from './reading/day-readers.ts'
import { findNewestTimestamp } from './reading/day-use.ts'
import { LogReader } from './reading/log-reader.ts'
import type { AppendQueue } from './writing/append-queue.ts'
import { type EventRow, toEventRow } from './writing/event-row.ts'

/** Events of a large request that are converted before others get the thread. */
const ROWS_PER_TURN = 200

export interface SqliteEventLogDeps {
  readonly control: Database
  readonly readers: DayReaders
  readonly queue: AppendQueue
  readonly removeDaysBefore: (timeMs: number) => Promise<readonly Day[]>
}

export class SqliteEventLog implements EventLog, EventCounts {
  readonly arrivals: SqliteArrivals
  readonly #deps: SqliteEventLogDeps
  readonly #reader: LogReader
  readonly #totals: DomainTotals

  constructor(deps: SqliteEventLogDeps) {
    const { readers, control } = deps
    this.#deps = deps
    this.arrivals = new SqliteArrivals(readers)
    this.#reader = new LogReader(readers)
    this.#totals = new DomainTotals(control, readers)
  }

  /** Before the calls that made them resolve. */
  learn(commits: readonly DayCommit[]): void {
    this.#deps.readers.learn(commits)
    this.#reader.learn(commits)
    this.#totals.learn(commits)
    this.arrivals.learn(commits)
  }

  /** After the writing thread has died. */
  forget(): void {
    this.#deps.readers.forget()
    this.#reader.forget()
    this.#totals.forget()
    this.arrivals.forget()
  }

  append(events: readonly AttributedEvent[]): Promise<AppendResult> {
    const { queue } = this.#deps
    return events.length <= ROWS_PER_TURN ? queue.append(events.map(toEventRow)) : this.#appendMany(events)
  }

  async #appendMany(events: readonly AttributedEvent[]): Promise<AppendResult> {
    const rows: EventRow[] = []
    for (let at = 0; at < events.length; at += ROWS_PER_TURN) {
      if (at > 0) await nextTurn()
      for (const event of events.slice(at, at + ROWS_PER_TURN)) rows.push(toEventRow(event))
    }
    return this.#deps.queue.append(rows)
  }

  list(query: LogQuery): Promise<LogPage> {
    return this.#reader.list(query)
  }

  listMessage(query: MessageQuery): Promise<LogPage> {
    return this.#reader.listMessage(query)
  }

  async removeBefore(timeMs: number): Promise<readonly string[]> {
    const { removeDaysBefore, readers } = this.#deps
    try {
      return await removeDaysBefore(timeMs)
    } finally {
      // Also after a failure, which may have come after some days were removed.
      readers.dropRemoved()
      this.#reader.forget()
    }
  }

  async findNewestTimestamp(): Promise<number | undefined> {
    return findNewestTimestamp(this.#deps.readers)
  }

  counts(domainNumbers: readonly number[]): Promise<ReadonlyMap<number, DomainCounts>> {
    return this.#totals.list(domainNumbers)
  }

  series(query: SeriesQuery): AsyncIterable<readonly HourCount[]> {
    return listHourCounts(this.#deps.readers, query)
  }
}
