/** What is said about a day whose file cannot be read. */
import type { DayTrouble } from '../../storage.ts'
import type { Day } from './day.ts'

export function damagedDay(day: Day, cause: unknown, nowMs = Date.now()): DayTrouble {
  const problem = cause instanceof Error ? cause.message : String(cause)
  return {
    day,
    kind: 'damaged',
    sinceMs: nowMs,
    detail: `${problem}. Save what can be read with bin/envelog repair ${day}, or restore the file from a backup.`,
  }
}

export function describeTrouble({ day, kind, detail }: DayTrouble): string {
  return `${day}: ${kind}, set aside: ${detail}`
}
