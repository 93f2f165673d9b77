/** Times in parameters: ISO 8601 with a time zone, or a date, which means midnight UTC. */
import { AppError } from '../../lib/app-error.ts'
import { show } from '../request/show.ts'

const SHAPE = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/

/** Milliseconds. Throws AppError `invalid_request`. */
export function parseIsoTime(name: string, text: string): number {
  // An unencoded plus sign arrives as a space.
  const written = text.replace(/ (?=\d\d:\d\d$)/, '+')
  const date = SHAPE.exec(written)?.[1]
  const timeMs = date === undefined || !isDate(date) ? Number.NaN : Date.parse(written)
  if (timeMs >= 0) return timeMs
  throw new AppError(
    'invalid_request',
    `Invalid ${name}: ${show(text)} is not a valid time. Allowed: ISO 8601 with a time zone, such as 2026-01-15T12:00:00Z, or a date, since 1970.`,
  )
}

/** JavaScript reads February 31 as March 3. */
function isDate(text: string): boolean {
  const timeMs = Date.parse(text)
  return !Number.isNaN(timeMs) && new Date(timeMs).toISOString().startsWith(text)
}
