/** The event log in day files: appended by the writing thread, read here. */

import type { AttributedEvent, EventLog } from '../../events/log/event-log.ts'
import { nextTurn } from '../../lib/turns/next-turn.ts'
import type { EventCounts } from '../../stats/event-counts.ts'
import { openArrivals } from './arrivals/sqlite-arrivals.ts'
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

export interface SqliteEventLog extends EventLog, EventCounts {
  /** Before the calls that made them resolve. */
  learn(commits: readonly DayCommit[]): void
  /** After the writing thread has died. */
  forget(): void
}

export function openEventLog({ control, readers, queue, removeDaysBefore }: SqliteEventLogDeps): SqliteEventLog {
  const arrivals = openArrivals(readers)
  const reader = new LogReader(readers)
  const totals = new DomainTotals(control, readers)
  const learners = [readers, reader, totals, arrivals]
  return {
    arrivals,
    learn(commits) {
      for (const learner of learners) learner.learn(commits)
    },
    forget() {
      for (const learner of learners) learner.forget()
    },
    append: (events) =>
      events.length <= ROWS_PER_TURN
        ? queue.append(events.map(toEventRow))
        : toManyRows(events).then((rows) => queue.append(rows)),
    list: (query) => reader.list(query),
    listMessage: (query) => reader.listMessage(query),
    async removeBefore(timeMs) {
      try {
        return await removeDaysBefore(timeMs)
      } finally {
        // After a failure too: some days may have been removed before it.
        readers.dropRemoved()
        reader.forget()
      }
    },
    findNewestTimestamp: async () => findNewestTimestamp(readers),
    counts: (domainNumbers) => totals.list(domainNumbers),
    series: (query) => listHourCounts(readers, query),
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
