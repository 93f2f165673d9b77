/** The event log in day files: appended by the writing thread, read by the reading threads. */

import type { AttributedEvent, EventLog } from '../../events/log/event-log.ts'
import { nextTurn } from '../../lib/turns/next-turn.ts'
import type { EventCounts } from '../../stats/event-counts.ts'
import type { ReadLoad } from '../storage.ts'
import { openArrivals } from './arrivals/sqlite-arrivals.ts'
import type { Day } from './days/day.ts'
import type { DayCommit } from './days/day-commit.ts'
import type { Eraser } from './erasing/eraser.ts'
import type { SummarizedDay } from './history/history-notice.ts'
import type { AppendedRows } from './newest/domain-changes.ts'
import type { WatchedRow } from './newest/watched-domains.ts'
import { PooledLog } from './read-pool/pooled-log.ts'
import type { ReadPool } from './read-pool/read-pool.ts'
import type { AppendQueue } from './writing/append-queue.ts'
import { dayIsLocked } from './writing/day-writers.ts'
import { type EventRow, toEventRow } from './writing/event-row.ts'
import type { PackedRows } from './writing/packed-rows.ts'

/** Events of a large request that are converted before others get the thread. */
const ROWS_PER_TURN = 200

export interface SqliteEventLogDeps {
  readonly pool: ReadPool
  readonly queue: AppendQueue
  readonly removeDaysBefore: (timeMs: number) => Promise<readonly Day[]>
  readonly serviceMessageIdField: string
  readonly eraser: Pick<Eraser, 'erase' | 'findLocked' | 'learn'>
}

export interface SqliteEventLog extends EventLog, EventCounts {
  readonly newestPages: Required<ReadLoad>['newestPages']
  /** Rows of the group that are needed when it is stored. */
  selectWatched(rows: PackedRows): readonly WatchedRow[]
  /** Before the calls that made them resolve. */
  learn(commits: readonly DayCommit[], appended?: AppendedRows): void
  learnSummarized(days: readonly SummarizedDay[]): void
  /** Rows of the day were removed: everything that was derived from them is to be dropped here. */
  dropErased(day: Day): void
  /** After the writing thread has died, or the history index was replaced. */
  forget(): void
  /** The day is left out of every read that follows. */
  setAside(day: Day): void
  /** The file of the day was replaced: it is part of every read that follows. */
  takeBack(day: Day): void
}

export function openEventLog(deps: SqliteEventLogDeps): SqliteEventLog {
  const { pool, queue, removeDaysBefore, eraser, serviceMessageIdField } = deps
  const reads = new PooledLog(pool, serviceMessageIdField)
  const arrivals = openArrivals({
    last: (tenantId) => reads.lastArrival(tenantId),
    list: (query) => reads.listArrivals(query),
  })
  const append = (rows: readonly EventRow[]) => {
    const locked = eraser.findLocked(rows)
    return locked === undefined ? queue.append(rows) : Promise.reject(dayIsLocked(locked))
  }
  return {
    arrivals,
    get newestPages() {
      return reads.newestPages
    },
    selectWatched: (rows) => reads.selectWatched(rows),
    learn(commits, appended) {
      eraser.learn(commits)
      reads.learn(commits, appended)
      arrivals.learn(commits)
    },
    learnSummarized: (days) => reads.learnSummarized(days),
    dropErased: (day) => reads.dropErased(day),
    forget() {
      reads.forget()
      arrivals.forget()
    },
    setAside: (day) => reads.setAside(day),
    takeBack(day) {
      reads.takeBack(day)
      arrivals.forget()
    },
    append: (events) =>
      events.length <= ROWS_PER_TURN ? append(events.map(toEventRow)) : toManyRows(events).then(append),
    list: (query) => reads.list(query),
    listMessage: (query) => reads.listMessage(query),
    replies: (query) => reads.replies(query),
    deliveryTimes: (query) => reads.deliveryTimes(query),
    count: (query) => reads.count(query),
    async removeBefore(timeMs) {
      try {
        return await removeDaysBefore(timeMs)
      } finally {
        // After a failure too: some days may have been removed before it.
        reads.dropRemoved()
      }
    },
    erase: (erasure, after) => eraser.erase(erasure, after),
    findNewestTimestamp: () => reads.findNewestTimestamp(),
    counts: (domainNumbers, tenantId) => reads.counts(domainNumbers, tenantId),
    series: (query) => reads.series(query),
  }
}

async function toManyRows(events: readonly AttributedEvent[]): Promise<readonly EventRow[]> {
  const rows: EventRow[] = []
  for (let at = 0; at < events.length; at += ROWS_PER_TURN) {
    if (at > 0) await nextTurn()
    for (const event of events.slice(at, at + ROWS_PER_TURN)) rows.push(toEventRow(event))
  }
  return rows
}
