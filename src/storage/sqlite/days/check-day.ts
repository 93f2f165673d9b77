/** Proof that a day's file is whole and its counters are right. */
import { EVENT_TYPES } from '../../../events/event.ts'
import { ORIGINS_PER_DAY } from '../../../stats/series.ts'
import type { Database } from '../database/database.ts'
import { hasErased } from '../erasing/erased-counts.ts'
import { OTHER_ORIGINS_KEY } from './counted-origins.ts'
import { countChangedRows } from './row-hashes.ts'

const SQLITE_IOERR = 10

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

/** By origin, whether it is one that is counted or not. */
const SENT_HOURS = `
  SELECT domain, origin, hour, type, provider, sum(count) AS count FROM (
    SELECT domain, origin, hour, type,
      ifnull(json_extract('{' || substr(members, 2) || '}', '$.provider_name'), '') AS provider, e.count
    FROM (SELECT domain, origin, (position >> 32) / 3600 AS hour, type, circumstance, count(*) AS count
      FROM event WHERE origin IS NOT NULL GROUP BY 1, 2, 3, 4, 5) e JOIN circumstance c ON c.key = e.circumstance
    SENDING_ERASED)
  GROUP BY 1, 2, 3, 4, 5`

/** `counted`: SQL, whether the events of `sent` are counted by their origin. */
const countSending = (counted: string) => `
  SELECT domain, iif(${counted}, origin, ${OTHER_ORIGINS_KEY}) AS origin, hour, type, provider, sum(count) AS count
  FROM (${SENT_HOURS}) sent GROUP BY 1, 2, 3, 4, 5`

/** Erased events still count; days that never had any lack the tables. */
function withErased(db: Database, sql: string): string {
  const columns = sql.includes('provider') ? 'domain, hour, type, provider, classification' : 'domain, type'
  const sending = 'UNION ALL SELECT domain, origin, hour, type, provider, count FROM erased_sending_per_hour'
  return sql
    .replaceAll('SENDING_ERASED', hasErased(db, 'erased_sending_per_hour') ? sending : '')
    .replace(
      'ERASED',
      hasErased(db, 'erased_per_hour') ? `UNION ALL SELECT ${columns}, count FROM erased_per_hour` : '',
    )
}

/** Those with the most events: which ones came first is not known. */
const LARGEST_ORIGINS = `
  SELECT domain, origin FROM (
    SELECT domain, origin, row_number() OVER (PARTITION BY domain ORDER BY sum(count) DESC, origin) AS place
    FROM (${SENT_HOURS}) GROUP BY domain, origin)
  WHERE place <= ${ORIGINS_PER_DAY}`

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
  db.execute(
    withErased(
      db,
      `WITH largest AS MATERIALIZED (${LARGEST_ORIGINS})
       INSERT INTO sending_per_hour (domain, origin, hour, type, provider, count)
       ${countSending('(domain, origin) IN (SELECT domain, origin FROM largest)')}`,
    ),
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

/** An origin that has a count is one that is counted. */
const SENDING_DIFFERENCES = `
  WITH counted AS (${countSending(
    'EXISTS (SELECT 1 FROM sending_per_hour k WHERE k.domain = sent.domain AND k.origin = sent.origin)',
  )})
  SELECT domain, origin, hour, type, ifnull(s.count, 0) AS stored, ifnull(c.count, 0) AS counted
  FROM sending_per_hour s FULL JOIN counted c USING (domain, origin, hour, type, provider)
  WHERE s.count IS NOT c.count`

type Difference = { domain: number; origin?: number; hour?: number; type: number; stored: number; counted: number }

/** Counters that are wrong; empty if there are none. */
export function listDifferences(db: Database): readonly string[] {
  return [COUNTER_DIFFERENCES, HOUR_DIFFERENCES, SENDING_DIFFERENCES]
    .flatMap((sql) => db.all<Difference>(withErased(db, sql)))
    .map(describe)
}

function describe({ domain, origin, hour, type, stored, counted }: Difference): string {
  const ofOrigin = origin === undefined ? '' : `, origin ${origin}`
  const where = hour === undefined ? `domain ${domain}` : `domain ${domain}, hour ${hour}${ofOrigin}`
  return `${where}, ${EVENT_TYPES[type]}: counter ${stored}, events ${counted}`
}

/** What is wrong with the file itself; undefined if it is whole. Throws if it cannot be read: that is not damage. */
export function findDamage(db: Database): string | undefined {
  const found = db.get<{ integrity_check: string }>('PRAGMA integrity_check(1)')?.integrity_check
  if (found !== 'ok') {
    requireRead(found ?? '')
    return found ?? 'the file cannot be checked'
  }
  const changed = countChangedRows(db)
  if (changed === 0) return undefined
  return changed === 1 ? '1 row does not match its hash' : `${changed} rows do not match their hashes`
}

/** SQLite's check reports pages that the disk does not return as it reports damaged ones: "unable to get the page. error code=266". */
function requireRead(found: string): void {
  const errcode = Number(/error code=(\d+)/.exec(found)?.[1])
  if ((errcode & 0xff) === SQLITE_IOERR) throw Object.assign(new Error(`disk I/O error: ${found}`), { errcode })
}
