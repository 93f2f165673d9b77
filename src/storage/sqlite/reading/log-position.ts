/** A position in the order of the log: timestamp and arrival within the day. Clients get it as an opaque text. */
import { AppError } from '../../../lib/app-error.ts'
import { type Day, dayOfTimestamp, fromPosition, startOfDay, toPosition } from '../days/day.ts'

export interface EventPosition {
  readonly timestamp: number
  readonly arrival: number
}

/** `position`: within the day. */
export function toEventPosition(day: Day, position: number): EventPosition {
  const { secondOfDay, arrival } = fromPosition(position)
  return { timestamp: startOfDay(day) + secondOfDay, arrival }
}

/** The position within the day; undefined on another day. */
export function positionOn(day: Day, { timestamp, arrival }: EventPosition): number | undefined {
  return dayOfTimestamp(timestamp) === day ? toPosition(timestamp - startOfDay(day), arrival) : undefined
}

export function formatPosition({ timestamp, arrival }: EventPosition): string {
  return `${timestamp}.${arrival}`
}

/** Throws AppError `invalid_cursor`. */
export function parsePosition(text: string): EventPosition {
  const [, timestamp, arrival] = /^(\d{1,11})\.(\d{1,11})$/.exec(text) ?? []
  if (timestamp === undefined) throw new AppError('invalid_cursor', 'Not a valid position in the log.')
  return { timestamp: Number(timestamp), arrival: Number(arrival) }
}
