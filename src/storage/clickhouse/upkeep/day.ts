/** UTC days as texts (YYYY-MM-DD), which sort by time. They are the units of retention, and ClickHouse's partitions. */

const MS_PER_DAY = 86_400_000
/** 9999-12-31 */
const LAST_DAY_MS = 253_402_214_400_000
export const SECONDS_PER_DAY = 86_400
export const HOURS_PER_DAY = 24

export function dayOf(timeMs: number): string {
  return new Date(Math.min(Math.max(0, timeMs), LAST_DAY_MS)).toISOString().slice(0, 10)
}

/** Unix seconds at which the day begins. */
export function startOf(day: string): number {
  return Date.parse(day) / 1000
}

/** Since 1970. */
export function firstHourOf(day: string): number {
  return startOf(day) / 3600
}

export function dayAfter(day: string): string {
  return dayOf(Date.parse(day) + MS_PER_DAY)
}

/** None is before all. */
export function laterOf(one: string, other: string): string {
  return [one, other].sort()[1] ?? ''
}

export function isDay(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))
}

/** SQL: whether a time in seconds is in the day. */
export function inDay(column: string, day: string): string {
  const start = startOf(day)
  return `${column} >= ${start} AND ${column} < ${start + SECONDS_PER_DAY}`
}

/** SQL: whether an hour since 1970 is in the day. */
export function inHoursOf(day: string): string {
  const first = firstHourOf(day)
  return `hour >= ${first} AND hour < ${first + HOURS_PER_DAY}`
}

/** SQL: the day of a time in seconds, whatever the time zone of the server. */
export function dayOfSecond(second: string): string {
  return `toString(toDate(toUInt16(intDiv(${second}, ${SECONDS_PER_DAY}))))`
}
