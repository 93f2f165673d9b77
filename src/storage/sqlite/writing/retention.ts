/**
 * Removes whole days. A day's counts are first folded into the totals, in one transaction of the control file with the
 * note that it was done; only then is the file deleted. A crash at any point leaves a day either counted by its own file or
 * folded, never both, and the next run finishes the deletion.
 */
import { EVENT_TYPES } from '../../../events/event.ts'
import type { Database } from '../database/database.ts'
import { type Day, endOfDayMs } from '../days/day.ts'
import type { DayFiles } from '../days/day-files.ts'
import type { DayWriters } from './day-writers.ts'

/** Only the counters are read. */
const CACHE_KIB = 1024

const ADD_TO_TOTAL = `
  INSERT INTO total (domain_number, type, count, changed_at_ms) VALUES (?, ?, ?, ?)
  ON CONFLICT (domain_number, type) DO UPDATE
  SET count = count + excluded.count, changed_at_ms = max(changed_at_ms, excluded.changed_at_ms)`

export function removeDaysBefore(
  control: Database,
  files: DayFiles,
  writers: DayWriters,
  timeMs: number,
): readonly Day[] {
  const expired = files.list().filter((day) => endOfDayMs(day) <= timeMs || isFolded(control, day))
  const removed: Day[] = []
  const failures: unknown[] = []
  for (const day of expired) {
    try {
      writers.release(day)
      if (!isFolded(control, day)) fold(control, files, day)
      files.remove(day)
      removed.push(day)
    } catch (error) {
      // A day that is damaged stays, set aside, until it is repaired.
      if (!writers.setAsideIfDamaged(day, error)) failures.push(error)
    }
  }
  // After all days: one that cannot be read must not keep the others, or the disk would fill up.
  if (failures.length > 0) throw failures[0]
  return removed
}

export function isFolded(control: Database, day: Day): boolean {
  return control.get('SELECT 1 FROM folded_day WHERE day = ?', day) !== undefined
}

function fold(control: Database, files: DayFiles, day: Day): void {
  using db = files.openForWriting(day, CACHE_KIB)
  // The day's lock is held until it is marked closed, so that no event is added that would not be counted.
  db.transaction(() => {
    const counters = db.allArrays<[domain: number, type: number, count: number, changedAtMs: number]>(
      'SELECT domain, type, count, changed_at_ms FROM counter',
    )
    control.transaction(() => {
      for (const [domain, type, count, changedAtMs] of counters) {
        control.run(ADD_TO_TOTAL, domain, EVENT_TYPES[type] ?? '', count, changedAtMs)
      }
      control.run('INSERT INTO folded_day (day) VALUES (?)', day)
      control.run('DELETE FROM day_file WHERE day = ?', day)
    })
    db.run('UPDATE day SET closed = 1')
  })
}
