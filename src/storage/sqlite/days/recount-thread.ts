/** Counts every day again on a thread of its own: a day of millions of events takes seconds. */
import { parentPort, workerData } from 'node:worker_threads'
import { isStorageFailure } from '../database/storage-failure.ts'
import type { Day } from './day.ts'
import { DayFiles } from './day-files.ts'
import { recountDay } from './recount-day.ts'

const CACHE_KIB = 8192

/** One for each day. */
export interface RecountedDay {
  readonly day: Day
  readonly differences: readonly string[]
}

const files = new DayFiles((workerData as { readonly dataDir: string }).dataDir)
for (const day of files.list()) {
  const counted: RecountedDay = { day, differences: recount(day) }
  parentPort?.postMessage(counted)
}

/** A day that cannot be read is a finding too, and does not keep the others from being counted. */
function recount(day: Day): readonly string[] {
  try {
    using db = files.openForReading(day, CACHE_KIB)
    return recountDay(day, db)
  } catch (error) {
    // Removed by retention since it was listed.
    if (!files.has(day)) return []
    if (!isStorageFailure(error) || !(error instanceof Error)) throw error
    return [`${day}: ${error.message}. Restore this file from a backup, or move it away to continue without it.`]
  }
}
