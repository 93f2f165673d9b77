/** Counts every day again on a thread of its own: a day of millions of events takes seconds. */
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { EVENT_TYPES } from '../../../events/event.ts'
import { CONTROL_FILE } from '../control/control-database.ts'
import { Database } from '../database/database.ts'
import { isStorageFailure } from '../database/storage-failure.ts'
import type { Day } from './day.ts'
import { DayFiles } from './day-files.ts'
import { DayTroubles } from './day-troubles.ts'

const CACHE_KIB = 8192

/** One for each day. */
export interface RecountedDay {
  readonly day: Day
  readonly differences: readonly string[]
}

/** Rows in which the stored counters and a count of the events differ, in either direction. */
const COUNTER_DIFFERENCES = `
  WITH counted AS (SELECT domain, type, count(*) AS count FROM event GROUP BY domain, type)
  SELECT domain, type, ifnull(s.count, 0) AS stored, ifnull(c.count, 0) AS counted
  FROM counter s FULL JOIN counted c USING (domain, type)
  WHERE s.count IS NOT c.count`

const HOUR_DIFFERENCES = `
  WITH counted AS (
    SELECT domain, (position >> 32) / 3600 AS hour, type,
      ifnull(json_extract('{' || substr(members, 2) || '}', '$.provider_name'), '') AS provider,
      ifnull(json_extract('{' || substr(members, 2) || '}', '$.bounce_classification'), '') AS classification,
      count(*) AS count
    FROM event JOIN circumstance ON circumstance.key = event.circumstance GROUP BY 1, 2, 3, 4, 5)
  SELECT domain, hour, type, ifnull(s.count, 0) AS stored, ifnull(c.count, 0) AS counted
  FROM event_per_hour s FULL JOIN counted c USING (domain, hour, type, provider, classification)
  WHERE s.count IS NOT c.count`

const { dataDir } = workerData as { readonly dataDir: string }
// Days that are set aside are reported as such.
const files = new DayFiles(dataDir, new DayTroubles(new Database(join(dataDir, CONTROL_FILE), { readOnly: true })))
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

type Difference = { domain: number; hour?: number; type: number; stored: number; counted: number }

/** Proof that the counters and the hourly counts are right. */
function recountDay(day: Day, db: Database): readonly string[] {
  return db.snapshot(() => {
    const differences = [...db.all<Difference>(COUNTER_DIFFERENCES), ...db.all<Difference>(HOUR_DIFFERENCES)]
    return [...differences.map(describe), ...checkFile(db)].map((finding) => `${day}: ${finding}`)
  })
}

function describe({ domain, hour, type, stored, counted }: Difference): string {
  const where = hour === undefined ? `domain ${domain}` : `domain ${domain}, hour ${hour}`
  return `${where}, ${EVENT_TYPES[type]}: counter ${stored}, events ${counted}`
}

function checkFile(db: Database): readonly string[] {
  const rows = db.all<{ integrity_check: string }>('PRAGMA integrity_check').map((row) => row.integrity_check)
  return rows.filter((message) => message !== 'ok')
}
