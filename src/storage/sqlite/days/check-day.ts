/** Proof that a day's file is whole and its counters are right. */
import { EVENT_TYPES } from '../../../events/event.ts'
import type { Database } from '../database/database.ts'
import { hasErased } from '../erasing/erased-counts.ts'
import { countChangedRows } from './row-hashes.ts'

/** What is counted from the events, as the rows of the two tables of counts. */
const COUNTED = `
  SELECT domain, type, sum(count) AS count
  FROM (SELECT domain, type, count(*) AS count FROM event GROUP BY domain, type ERASED) GROUP BY domain, type`
const COUNTED_HOURS = `
  SELECT domain, hour, type, provider, classification, sum(count) AS count FROM (
    SELECT domain, (position >> 32) / 3600 AS hour, type,
      ifnull(json_extract('{' || substr(members, 2) || '}', '$.provider_name'), '') AS provider,
      ifnull(json_extract('{' || substr(members, 2) || '}', '$.bounce_classification'), '') AS classification,
      count(*) AS count
    FROM event JOIN circumstance ON circumstance.key = event.circumstance GROUP BY 1, 2, 3, 4, 5 ERASED)
  GROUP BY 1, 2, 3, 4, 5`

/** Erased events still count; days that never had any lack the table. */
function withErased(db: Database, sql: string): string {
  const columns = sql.includes('provider') ? 'domain, hour, type, provider, classification' : 'domain, type'
  return sql.replace('ERASED', hasErased(db) ? `UNION ALL SELECT ${columns}, count FROM erased_per_hour` : '')
}

/** Writes the counts of an empty table from the events. `changedAtMs`: of counters whose own time is not known. */
export function writeCounts(db: Database, changedAtMs: number): void {
  db.run(
    withErased(
      db,
      `INSERT INTO counter (domain, type, count, changed_at_ms) SELECT domain, type, count, ? FROM (${COUNTED})`,
    ),
    changedAtMs,
  )
  db.execute(
    withErased(db, `INSERT INTO event_per_hour (domain, hour, type, provider, classification, count) ${COUNTED_HOURS}`),
  )
}

/** Rows in which the stored counters and a count of the events differ, in either direction. */
const COUNTER_DIFFERENCES = `
  WITH counted AS (${COUNTED})
  SELECT domain, type, ifnull(s.count, 0) AS stored, ifnull(c.count, 0) AS counted
  FROM counter s FULL JOIN counted c USING (domain, type)
  WHERE s.count IS NOT c.count`

const HOUR_DIFFERENCES = `
  WITH counted AS (${COUNTED_HOURS})
  SELECT domain, hour, type, ifnull(s.count, 0) AS stored, ifnull(c.count, 0) AS counted
  FROM event_per_hour s FULL JOIN counted c USING (domain, hour, type, provider, classification)
  WHERE s.count IS NOT c.count`

type Difference = { domain: number; hour?: number; type: number; stored: number; counted: number }

/** Counters that are wrong; empty if there are none. */
export function listDifferences(db: Database): readonly string[] {
  return [COUNTER_DIFFERENCES, HOUR_DIFFERENCES].flatMap((sql) => db.all<Difference>(withErased(db, sql))).map(describe)
}

function describe({ domain, hour, type, stored, counted }: Difference): string {
  const where = hour === undefined ? `domain ${domain}` : `domain ${domain}, hour ${hour}`
  return `${where}, ${EVENT_TYPES[type]}: counter ${stored}, events ${counted}`
}

/** What is wrong with the file itself; undefined if it is whole. */
export function findDamage(db: Database): string | undefined {
  const [found] = db.all<{ integrity_check: string }>('PRAGMA integrity_check(1)')
  if (found?.integrity_check !== 'ok') return found?.integrity_check ?? 'the file cannot be checked'
  const changed = countChangedRows(db)
  return changed === 0 ? undefined : `${changed} rows differ from what was stored`
}
