/** Counts a day's events again and compares: proof that the counters and the hourly counts are right. */
import { EVENT_TYPES } from '../../../events/event.ts'
import type { Database } from '../database/database.ts'
import type { Day } from './day.ts'

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

export function recountDay(day: Day, db: Database): readonly string[] {
  return db.snapshot(() => [
    ...db
      .all<{ domain: number; type: number; stored: number; counted: number }>(COUNTER_DIFFERENCES)
      .map(
        (row) => `${day}: domain ${row.domain}, ${EVENT_TYPES[row.type]}: counter ${row.stored}, events ${row.counted}`,
      ),
    ...db
      .all<{ domain: number; hour: number; type: number; stored: number; counted: number }>(HOUR_DIFFERENCES)
      .map(
        (row) =>
          `${day}: domain ${row.domain}, hour ${row.hour}, ${EVENT_TYPES[row.type]}: counter ${row.stored}, events ${row.counted}`,
      ),
    ...checkFile(day, db),
  ])
}

function checkFile(day: Day, db: Database): readonly string[] {
  const rows = db.all<{ integrity_check: string }>('PRAGMA integrity_check').map((row) => row.integrity_check)
  return rows.filter((message) => message !== 'ok').map((message) => `${day}: ${message}`)
}
