/** Days as numbers, and the spans of days whose data lies together in the history index. */
import { type Day, dayOfTimestamp, startOfDay } from '../days/day.ts'

const SECONDS_PER_DAY = 86_400
/** Days of one span: ten years are 58 spans, so a question about all of them is 58 look-ups. */
export const SPAN_DAYS = 64
/** Domains whose counts one statement reads: others wait for it. */
const DOMAINS_AT_ONCE = 200

/** Days since 1970. */
export function numberOfDay(day: Day): number {
  return startOfDay(day) / SECONDS_PER_DAY
}

export function dayOfNumber(number: number): Day {
  return dayOfTimestamp(number * SECONDS_PER_DAY)
}

export function spanOf(dayNumber: number): number {
  return Math.floor(dayNumber / SPAN_DAYS)
}

/** The position of the day in its span. */
export function slotOf(dayNumber: number): number {
  return dayNumber % SPAN_DAYS
}

/** Whether keys of the day are exact as JavaScript numbers: until the year 2328. */
export function isIndexable(day: Day): boolean {
  const number = numberOfDay(day)
  return number >= 0 && spanOf(number) < 2 ** 11
}

/** As JSON, for one statement each. */
export function groupDomains(domains: readonly number[]): readonly string[] {
  const groups: string[] = []
  for (let at = 0; at < domains.length; at += DOMAINS_AT_ONCE) {
    groups.push(JSON.stringify(domains.slice(at, at + DOMAINS_AT_ONCE)))
  }
  return groups
}
