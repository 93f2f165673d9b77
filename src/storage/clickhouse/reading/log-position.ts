/** A position in the order of the log, as a text. It tells servers apart from nothing: every server of the installation can use it. */
import { AppError } from '../../../lib/app-error.ts'

export interface EventPosition {
  readonly timestamp: number
  readonly arrival: number
  /** How many seconds to search next: what was learned on the way here. */
  readonly span?: number
}

/** The letter tells it from positions of other engines: arrival numbers of another engine mean other events. */
export function formatPosition({ timestamp, arrival, span }: EventPosition): string {
  return `c${timestamp}.${arrival}${span === undefined ? '' : `.${span}`}`
}

/** Throws AppError `invalid_cursor`. */
export function parsePosition(text: string): EventPosition {
  const [, timestamp, arrival, span] = /^c(\d{1,10})\.(\d{1,16})(?:\.(\d{1,10}))?$/.exec(text) ?? []
  if (timestamp === undefined || !Number.isSafeInteger(Number(arrival))) {
    throw new AppError('invalid_cursor', 'Not a valid position in the log.')
  }
  const position = { timestamp: Number(timestamp), arrival: Number(arrival) }
  return span === undefined ? position : { ...position, span: Number(span) }
}
