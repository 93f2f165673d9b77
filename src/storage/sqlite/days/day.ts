/** UTC days, and the position of an event within its day. */
import { Recent } from '../../../lib/recent.ts'

/** `YYYY-MM-DD`; days sort as text. */
export type Day = string

const SECONDS_PER_DAY = 86_400
/** Arrivals a day can number; far above what one file can hold. */
const ARRIVALS = 2 ** 32

/** Enough for any retention in use. */
const DAYS_KEPT = 10_000
const dayNames = new Recent<Day, number>(DAYS_KEPT)
const dayStarts = new Recent<number, Day>(DAYS_KEPT)

export function dayOfTimestamp(timestamp: number): Day {
  return dayNames.findOrKeep(Math.floor(timestamp / SECONDS_PER_DAY), nameOfDay)
}

function nameOfDay(number: number): Day {
  return new Date(number * SECONDS_PER_DAY * 1000).toISOString().slice(0, 10)
}

export function secondOfDay(timestamp: number): number {
  return timestamp % SECONDS_PER_DAY
}

export function isDay(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))
}

/** Unix seconds at which the day begins. */
export function startOfDay(day: Day): number {
  return dayStarts.findOrKeep(day, (name) => Date.parse(name) / 1000)
}

export function endOfDayMs(day: Day): number {
  return (startOfDay(day) + SECONDS_PER_DAY) * 1000
}

export function toPosition(secondOfDay: number, arrival: number): number {
  return secondOfDay * ARRIVALS + arrival
}

export function fromPosition(position: number): { secondOfDay: number; arrival: number } {
  return { secondOfDay: Math.floor(position / ARRIVALS), arrival: position % ARRIVALS }
}

/** The positions of one day within a window: from (inclusive) and to (exclusive). */
export function positionRange(day: Day, startTimestamp: number, endTimestamp: number): { from: number; to: number } {
  const start = startOfDay(day)
  const firstSecond = Math.max(0, startTimestamp - start)
  const lastSecond = Math.min(SECONDS_PER_DAY - 1, endTimestamp - start)
  return { from: toPosition(firstSecond, 0), to: toPosition(lastSecond + 1, 0) }
}
