/**
 * Compares the history index with the day files when the data folder is opened: a file that was restored, replaced, repaired
 * or lost since is read directly until it is summarized again.
 */
import { isStorageFailure } from '../database/storage-failure.ts'
import type { DayFiles } from '../days/day-files.ts'
import { readDayState } from './day-state.ts'
import { discardHistory, openHistoryForWriting } from './history-database.ts'
import { dayOfNumber } from './span.ts'

export function checkHistory(dataDir: string, files: DayFiles): void {
  try {
    using db = openHistoryForWriting(dataDir)
    const days = db.allArrays<[number, number, number]>('SELECT day, bytes, modified_ms FROM day WHERE is_open = 0')
    const changed = days.filter(([number, bytes, modifiedMs]) => {
      const state = readDayState(files.path(dayOfNumber(number)))
      return state?.bytes !== bytes || state.modifiedMs !== modifiedMs
    })
    if (changed.length === 0) return
    const numbers = JSON.stringify(changed.map(([number]) => number))
    db.transaction(() => db.run('UPDATE day SET is_open = 1 WHERE day IN (SELECT value FROM json_each(?))', numbers))
  } catch (error) {
    if (!isStorageFailure(error)) throw error
    // What cannot be checked is not used. If it cannot be deleted either, the folder cannot be used at all.
    discardHistory(dataDir)
  }
}
