/** Reads one day's file for several domains at once: slices newest first, the events of a message, events by position. */
import type { EventText } from '../../../events/event-query.ts'
import type { LogConditions } from '../../../events/log-query.ts'
import type { Database, SqlValue } from '../database/database.ts'
import { type Day, startOfDay } from '../days/day.ts'
import { JOIN_MESSAGE } from '../days/message-key.ts'
import { type EventParts, toEventText } from './event-text.ts'
import { logCondition, type SqlCondition } from './log-conditions.ts'
import { CODES, type LogDay, type LogDayPlan, listMessageNumbers, planLogDay } from './log-day-plan.ts'
import { eventsBy, UNINDEXED_CODE } from './search-statements.ts'

export type FoundEvent = readonly [position: number, text: EventText]

/** What a search over a day has covered so far. */
export interface LogSlice {
  /** Newest first. */
  readonly events: readonly FoundEvent[]
  /** Everything from here on was examined; undefined when the day is done. */
  readonly examinedFrom?: number
}

/** Domains by their number, with their names as JSON strings, as they go into each event's text. */
export type NamesJson = ReadonlyMap<number, string>

/** Stands for the domain's name until the row says which it is. JSON holds no such character. */
const NAME = '\u0001'

/** SQLite plans with the value of a plain `LIMIT ?` and so prepares the statement anew at every call; not with this. */
const BOUND_LIMIT = 'CAST(? AS INTEGER)'

/** Small at first, as most pages fill at once. */
const FIRST_SLICE = 500

/** By how much a stretch of time changes that holds too many events, or far too few. */
const STRETCH_FACTOR = 4

export class LogDayReader {
  readonly #day: Day
  readonly #logDay: LogDay
  readonly #db: Database
  readonly #columns: string
  readonly #names: NamesJson
  readonly #domains: readonly number[]

  /** `columns`: those that an event's text is made of, see event-text.ts. */
  constructor(day: Day, logDay: LogDay, columns: string, names: NamesJson) {
    this.#day = day
    this.#logDay = logDay
    this.#db = logDay.db
    this.#columns = `e.position, e.domain, ${columns}`
    this.#names = names
    this.#domains = [...names.keys()]
  }

  /** From `from` (inclusive) up to `before` (exclusive), slice by slice until `limit` events are found or the day is done. */
  *search(conditions: LogConditions, from: number, before: number, limit: number): Generator<LogSlice> {
    const plan = planLogDay(this.#logDay, this.#domains, conditions)
    if (plan.kind === 'nothing') return
    if (plan.kind === 'candidates') {
      yield { events: this.#findAmongCandidates(plan, from, before, limit) }
      return
    }
    // Events may be in a part of the window only, as they are today.
    const { oldest, newest } = this.#extent()
    const start = Math.max(from, oldest)
    const end = Math.min(before, newest + 1)
    if (start >= end) return
    if (plan.kind === 'walk') yield* this.#walk(plan, start, end, limit)
    else yield* this.#searchStretches(plan, start, end, limit)
  }

  /** Newest first. */
  listByMessage(id: string, limit: number): readonly EventText[] {
    const messages = listMessageNumbers(this.#db, this.#domains, id)
    if (messages.length === 0) return []
    const plan = { kind: 'candidates', messages, residual: logCondition({}) } as const
    return this.#findAmongCandidates(plan, 0, Number.MAX_SAFE_INTEGER, limit).map(([, text]) => text)
  }

  /** Those of the events at these positions that are as they should be, in no order. */
  listAt(positions: readonly number[], conditions: LogConditions): readonly FoundEvent[] {
    const residual = logCondition(conditions)
    return this.#list(
      `FROM json_each(?) p CROSS JOIN event e ON e.position = p.value
       ${JOIN_MESSAGE}
       WHERE TRUE ${and(residual)}`,
      JSON.stringify(positions),
      ...residual.values,
    )
  }

  #extent(): { readonly oldest: number; readonly newest: number } {
    const row = this.#db.get<{ oldest: number | null; newest: number | null }>(
      'SELECT (SELECT min(position) FROM event) AS oldest, (SELECT max(position) FROM event) AS newest',
    )
    return { oldest: row?.oldest ?? 0, newest: row?.newest ?? -1 }
  }

  *#walk(plan: LogDayPlan & { kind: 'walk' }, from: number, before: number, limit: number): Generator<LogSlice> {
    const { sliceRows } = this.#logDay.thresholds
    let rows = Math.min(FIRST_SLICE, sliceRows)
    let upper = before
    let missing = limit
    while (missing > 0) {
      const lower = this.#endOfSlice(from, upper, rows) ?? from
      const events = this.#list(
        // Left to itself SQLite would ask the index of each domain, and sort.
        `FROM event e INDEXED BY event_by_position ${JOIN_MESSAGE}
         WHERE e.position >= ? AND e.position < ? AND e.domain IN (SELECT value FROM json_each(?)) ${and(plan.residual)}
         ORDER BY e.position DESC LIMIT ${BOUND_LIMIT}`,
        lower,
        upper,
        JSON.stringify(this.#domains),
        ...plan.residual.values,
        missing,
      )
      missing -= events.length
      if (lower === from) return yield { events }
      yield { events, examinedFrom: lower }
      upper = lower
      rows = Math.min(rows * 4, sliceRows)
    }
  }

  /** The position that closes a slice of the whole day; undefined when fewer events are left. */
  #endOfSlice(from: number, before: number, rows: number): number | undefined {
    return this.#db.get<{ position: number }>(
      'SELECT position FROM event WHERE position >= ? AND position < ? ORDER BY position DESC LIMIT 1 OFFSET ?',
      from,
      before,
      rows - 1,
    )?.position
  }

  /** How long a stretch has to be for a slice is not known before; it is guessed, looked at and corrected. */
  *#searchStretches(
    plan: LogDayPlan & { kind: 'stretches' },
    from: number,
    before: number,
    limit: number,
  ): Generator<LogSlice> {
    const { sliceRows } = this.#logDay.thresholds
    const span = before - from
    let length = Math.ceil((span * Math.min(sliceRows / 2, 2 * limit)) / plan.events)
    let upper = before
    let missing = limit
    while (missing > 0) {
      const lower = Math.max(from, upper - length)
      const rows = this.#countStretch(plan, lower, upper)
      if (rows > sliceRows && upper - lower > 1) {
        length = Math.ceil((upper - lower) / STRETCH_FACTOR)
        continue
      }
      const events = rows === 0 ? [] : this.#listStretch(plan, lower, upper, missing)
      missing -= events.length
      if (lower === from) return yield { events }
      yield { events, examinedFrom: lower }
      upper = lower
      if (rows * STRETCH_FACTOR < sliceRows) length = Math.min(span, length * STRETCH_FACTOR)
    }
  }

  /** One more than a slice may have at the most. */
  #countStretch(plan: LogDayPlan & { kind: 'stretches' }, from: number, before: number): number {
    const { sql, values } = stretchOf(plan, from, before, '')
    const row = this.#db.get<{ count: number }>(
      `SELECT count(*) AS count FROM (SELECT 1 ${sql} LIMIT ${this.#logDay.thresholds.sliceRows + 1})`,
      ...values,
    )
    return row?.count ?? 0
  }

  /** The inner query sorts positions alone, and as many texts are written as are returned. */
  #listStretch(plan: LogDayPlan & { kind: 'stretches' }, from: number, before: number, limit: number) {
    const tables = plan.residual.needsMessage ? JOIN_MESSAGE : ''
    const { sql, values } = stretchOf(plan, from, before, tables)
    return this.#list(
      `FROM (SELECT e.position AS found ${sql} ${and(plan.residual)} ORDER BY e.position DESC LIMIT ${BOUND_LIMIT})
       CROSS JOIN event e ON e.position = found ${JOIN_MESSAGE}`,
      ...values,
      ...plan.residual.values,
      limit,
    )
  }

  /** Sorts, but only the events of a bounded number of messages. */
  #findAmongCandidates(
    plan: LogDayPlan & { kind: 'candidates' },
    from: number,
    before: number,
    limit: number,
  ): readonly FoundEvent[] {
    return this.#list(
      `FROM (SELECT e.position AS found
         FROM json_each(?) k CROSS JOIN event e INDEXED BY event_of_message ON e.message = k.value
         ${JOIN_MESSAGE}
         WHERE e.domain IN (SELECT value FROM json_each(?)) AND e.position >= ? AND e.position < ? ${and(plan.residual)}
         ORDER BY e.position DESC LIMIT ${BOUND_LIMIT})
       CROSS JOIN event e ON e.position = found ${JOIN_MESSAGE}`,
      JSON.stringify(plan.messages),
      JSON.stringify(this.#domains),
      from,
      before,
      ...plan.residual.values,
      limit,
    )
  }

  #list(sql: string, ...values: SqlValue[]): FoundEvent[] {
    const rows = this.#db.allArrays<[number, number, ...EventParts]>(
      `SELECT ${this.#columns} ${sql}`,
      startOfDay(this.#day),
      NAME,
      ...values,
    )
    const found = rows.map(([position, domain, ...parts]): FoundEvent => {
      const text = toEventText(this.#logDay.texts, ...parts)
      const at = text.indexOf(NAME)
      return [position, `${text.slice(0, at)}${this.#names.get(domain)}${text.slice(at + 1)}`]
    })
    // In order already as a rule; only SQLite's plan says so.
    return found.sort(([a], [b]) => b - a)
  }
}

/** `tables`: what a further condition needs besides the event. */
function stretchOf(
  { driver }: LogDayPlan & { kind: 'stretches' },
  from: number,
  before: number,
  tables: string,
): { readonly sql: string; readonly values: readonly SqlValue[] } {
  const events = `CROSS JOIN ${eventsBy(driver.index)} ${tables}`
  const range = 'e.position >= ? AND e.position < ?'
  switch (driver.index) {
    case 'event':
      return {
        sql: `FROM json_each(?) d ${events} WHERE e.domain = d.value AND ${range}`,
        values: [JSON.stringify(driver.domains), from, before],
      }
    case 'event_by_type':
      return {
        sql: `FROM json_each(?) d CROSS JOIN json_each(?) t ${events}
              WHERE e.domain = d.value AND e.type = t.value AND ${range}`,
        values: [JSON.stringify(driver.domains), JSON.stringify(driver.types), from, before],
      }
    case 'event_by_code':
      return {
        // Said twice because SQLite uses a partial index only where the query repeats its condition.
        sql: `FROM json_each(?) k ${events}
              WHERE e.domain = k.value / ${CODES} AND e.response_code = k.value % ${CODES}
                AND e.response_code <> ${UNINDEXED_CODE} AND ${range}`,
        values: [JSON.stringify(driver.codes), from, before],
      }
  }
}

function and({ sql }: SqlCondition): string {
  return sql === '' ? '' : `AND ${sql}`
}
