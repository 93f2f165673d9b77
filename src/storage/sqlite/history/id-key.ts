/**
 * A message id in the history index: span, 36 bits of a hash of the id, and the day within the span, in one integer that is
 * exact as a JavaScript number. All days of an id in a span are one range of keys.
 */
import { hash } from 'node:crypto'
import { SPAN_DAYS, slotOf, spanOf } from './span.ts'

const HASHES = 2 ** 36

/** Half a billion messages in a span of days: one absent id in a hundred seems to be there, and its day is read in vain. */
export function hashForHistory(id: string): number {
  const bytes = hash('sha256', id, 'binary')
  const high = bytes.charCodeAt(0) * 2 ** 24 + bytes.charCodeAt(1) * 2 ** 16
  const low = bytes.charCodeAt(2) * 2 ** 8 + bytes.charCodeAt(3)
  return (high + low) * 16 + (bytes.charCodeAt(4) >>> 4)
}

export function idKey(idHash: number, dayNumber: number): number {
  return firstIdKey(idHash, spanOf(dayNumber)) + slotOf(dayNumber)
}

/** The keys of an id in a span are this one and the next SPAN_DAYS - 1. */
export function firstIdKey(idHash: number, span: number): number {
  return (span * HASHES + idHash) * SPAN_DAYS
}

export function dayOfIdKey(key: number): number {
  return Math.floor(key / (HASHES * SPAN_DAYS)) * SPAN_DAYS + (key % SPAN_DAYS)
}
