/** Describes a day whose file is damaged, or cannot be read at the moment, and what to do. */

import { PROGRAM } from '../../../lib/program-name.ts'
import type { DayTrouble } from '../../storage.ts'
import { isReadError, isSuspicion } from '../database/storage-failure.ts'
import type { Day } from '../days/day.ts'

export function damagedDay(day: Day, cause: unknown, nowMs = Date.now()): DayTrouble {
  const problem = cause instanceof Error ? cause.message : String(cause)
  return {
    day,
    kind: 'damaged',
    sinceMs: nowMs,
    detail: `${problem}. Save what can be read with ${PROGRAM} repair ${day}, or restore the file from a backup.`,
  }
}

/** Found by reading or writing it: `cause` is an error of the file, damage or not. */
export function troubleOf(day: Day, cause: unknown): DayTrouble {
  if (isSuspicion(cause)) return unreadableDay(day, cause, SUSPECT_ADVICE)
  return isReadError(cause) ? unreadableDay(day, cause) : damagedDay(day, cause)
}

/** The disk may return it later: unlike a damaged one it is checked again. */
export function unreadableDay(day: Day, cause: unknown, advice = unreadableAdvice(day)): DayTrouble {
  const problem = cause instanceof Error ? cause.message : String(cause)
  return { day, kind: 'unreadable', sinceMs: Date.now(), detail: `${problem}. ${advice}` }
}

/** Until the whole file has been read, which begins at once. */
const SUSPECT_ADVICE =
  'Either its content is wrong, or the disk did not return it. The whole file is now read to find out; the result follows.'

export function unreadableAdvice(day: Day): string {
  return `It is checked again automatically, and used again as soon as it can be read. If it stays unreadable, restore the file from a backup, or save what can be read: ${PROGRAM} repair ${day}`
}

export function describeTrouble({ day, kind, detail }: DayTrouble): string {
  return `${day}: ${kind}, set aside: ${detail}`
}
