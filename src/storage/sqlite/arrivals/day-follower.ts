/** Follows the arrivals of one day up to a given one, step by step. */
import type { ArrivalPage } from '../../../events/log/event-log.ts'
import type { Database } from '../database/database.ts'
import { type ArrivedEvent, readArrivalBatch } from '../days/arrival-batch.ts'
import { fromPosition, toPosition } from '../days/day.ts'
import type { DayReader, NamesJson } from '../reading/day-reader.ts'
import type { LogSearch } from '../reading/log-search.ts'
import { type ArrivalCursor, formatArrivalCursor, withDay } from './arrival-cursor.ts'
import { findRead } from './day-growths.ts'

/** Events looked up, and arrivals decoded, by one step: commits may be large. */
const STEP_EVENTS = 100
const STEP_ARRIVALS = 5000

/** `until`: the last arrival to be read; later ones are left for the next time. */
export function followDay(reader: DayReader, names: NamesJson, search: LogSearch, from: ArrivalCursor, until: number) {
  let read = findRead(from, reader.day, until) ?? lastArrivalBefore(reader.db, from.sinceMs, until)
  const arrivals = listArrivals(reader.db, read, until)
  return {
    get isDone(): boolean {
      return read >= until
    },
    /** The next events, at most `limit`, and the cursor after them; it may end within a commit. */
    step(
      cursor: ArrivalCursor,
      limit: number,
    ): { readonly events: ArrivalPage['events']; readonly next: ArrivalCursor } {
      const positions: number[] = []
      const most = Math.min(limit, STEP_EVENTS)
      for (let looked = 0; looked < STEP_ARRIVALS && positions.length < most; looked++) {
        const { value: arrived, done } = arrivals.next()
        // Events without a batch were stored before the table of batches existed and cannot be followed.
        read = done ? until : arrived.arrival
        if (done) break
        if (names.has(arrived.domain)) positions.push(toPosition(arrived.secondOfDay, arrived.arrival))
      }
      const found = positions.length === 0 ? [] : reader.listAt(positions, names, search)
      const events = found
        .map(([position, text]) => ({ arrival: fromPosition(position).arrival, text }))
        .sort((a, b) => a.arrival - b.arrival)
        .map(({ arrival, text }) => ({ text, position: formatArrivalCursor(withDay(cursor, reader.day, arrival)) }))
      return { events, next: withDay(cursor, reader.day, read) }
    },
  }
}

const STORED_AT = 'SELECT stored_at_ms FROM arrival_batch WHERE first <= ? ORDER BY first DESC LIMIT 1'

/** The last of the first `until` arrivals that was stored by `timeMs`; 0 for none. Times never decrease, so this is a binary search. */
function lastArrivalBefore(db: Database, timeMs: number, until: number): number {
  let last = 0
  let later = until + 1
  while (later - last > 1) {
    const middle = Math.floor((last + later) / 2)
    if (db.number(STORED_AT, middle) > timeMs) later = middle
    else last = middle
  }
  return last
}

/** From the one after `after` to `until`, in order. */
function* listArrivals(db: Database, after: number, until: number): Generator<ArrivedEvent> {
  let next = after + 1
  while (next <= until) {
    const batch = db.get<{ first: number; events: Uint8Array }>(
      `SELECT first, events FROM arrival_batch
       WHERE first >= ifnull((SELECT max(first) FROM arrival_batch WHERE first <= ?), 0) ORDER BY first LIMIT 1`,
      next,
    )
    if (!batch) return
    const before = next
    for (const arrived of readArrivalBatch(batch.first, batch.events)) {
      if (arrived.arrival < next) continue
      if (arrived.arrival > until) return
      yield arrived
      next = arrived.arrival + 1
    }
    // A gap between batches ends what can be followed.
    if (next === before) return
  }
}
