/**
 * A position in the order of arrival over all day files. Events arrive late, so any day may grow: the cursor has, for each
 * day that has grown lately, how far it was read, and a time since when no other day has changed.
 */
import { AppError } from '../../../lib/app-error.ts'
import { type Day, dayOfTimestamp, startOfDay } from '../days/day.ts'

export interface ArrivalCursor {
  /** Days that are not in `arrivals` were read up to everything stored until then. */
  readonly sinceMs: number
  readonly arrivals: ReadonlyMap<Day, number>
}

/** Days keep their entry for this long after a commit, so that one that becomes visible late is not skipped. */
export const SETTLED_AFTER_MS = 10 * 60_000

const SECONDS_PER_DAY = 86_400
/** The end of the year 9999, in days since 1970. */
const DAY_MAX = 2_932_896

/** `<since>.<day>-<arrival>.…`, all numbers in base 36, days counted from 1970. */
export function formatArrivalCursor({ sinceMs, arrivals }: ArrivalCursor): string {
  const parts = [...arrivals].map(([day, arrival]) => `${base36(startOfDay(day) / SECONDS_PER_DAY)}-${base36(arrival)}`)
  return [base36(sinceMs), ...parts].join('.')
}

/** Throws AppError `invalid_cursor`. */
export function parseArrivalCursor(text: string): ArrivalCursor {
  const [since = '', ...parts] = text.split('.')
  const arrivals = parts.map((part): [Day, number] => {
    const [day = '', arrival = ''] = part.split('-')
    return [dayOfTimestamp(parseBase36(day, DAY_MAX) * SECONDS_PER_DAY), parseBase36(arrival)]
  })
  return { sinceMs: parseBase36(since), arrivals: new Map(arrivals) }
}

export function withDay({ sinceMs, arrivals }: ArrivalCursor, day: Day, arrival: number): ArrivalCursor {
  return { sinceMs, arrivals: new Map([...arrivals, [day, arrival]]) }
}

function base36(number: number): string {
  return number.toString(36)
}

function parseBase36(text: string, max = Number.MAX_SAFE_INTEGER): number {
  const number = /^[0-9a-z]{1,10}$/.test(text) ? Number.parseInt(text, 36) : Number.NaN
  if (Number.isNaN(number) || number > max) throw new AppError('invalid_cursor', 'Not a valid stream position.')
  return number
}
