/** Counts every day again on a thread of its own: a day of millions of events takes seconds. */
import { parentPort, workerData } from 'node:worker_threads'
import { lowerPriority } from '../../../lib/lower-priority.ts'
import type { DayTrouble } from '../../storage.ts'
import type { Database } from '../database/database.ts'
import { isDamagedWithSchema, isStorageFailure } from '../database/storage-failure.ts'
import { findHistoryDifference } from '../history/compare-history.ts'
import { damagedDay, describeTrouble } from '../troubles/troubled-day.ts'
import { findDamage, listDifferences } from './check-day.ts'
import type { Day } from './day.ts'
import { DayFiles } from './day-files.ts'

lowerPriority()

const CACHE_KIB = 8192

export interface RecountData {
  readonly dataDir: string
  /** Days that are not counted. */
  readonly setAside: readonly Day[]
}

/** One for each day. */
export interface RecountedDay {
  readonly day: Day
  readonly differences: readonly string[]
  /** If its file is damaged. */
  readonly trouble?: DayTrouble
}

/** The history index differs from a day. */
export type RecountReport = RecountedDay | { readonly historyDifference: string }

const { dataDir, setAside } = workerData as RecountData
const files = new DayFiles(dataDir)
for (const day of files.list()) if (!setAside.includes(day)) report(recount(day))
const difference = findHistoryDifference(dataDir, files, setAside)
if (difference !== undefined) report({ historyDifference: difference })

function report(message: RecountReport): void {
  parentPort?.postMessage(message)
}

/** A day that cannot be read is a finding too, and does not keep the others from being counted. */
function recount(day: Day): RecountedDay {
  try {
    using db = files.openForReading(day, CACHE_KIB)
    return recountDay(day, db)
  } catch (error) {
    // Removed by retention since it was listed.
    if (!files.has(day)) return { day, differences: [] }
    if (isDamagedWithSchema(error)) return damaged(day, error)
    if (!isStorageFailure(error) || !(error instanceof Error)) throw error
    return { day, differences: [`${day}: ${error.message}`] }
  }
}

function damaged(day: Day, cause: unknown): RecountedDay {
  const trouble = damagedDay(day, cause)
  return { day, differences: [describeTrouble(trouble)], trouble }
}

/** Proof that the counters and the hourly counts are right. */
function recountDay(day: Day, db: Database): RecountedDay {
  return db.snapshot(() => {
    const problem = findDamage(db)
    if (problem !== undefined) return damaged(day, new Error(`${problem} (${db.path})`))
    const differences = listDifferences(db)
    return { day, differences: differences.map((finding) => `${day}: ${finding}`) }
  })
}
