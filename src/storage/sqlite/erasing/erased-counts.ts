/**
 * How many events were erased of a day whose counts stay: the counters are those of the events plus these, so that a recount can
 * still prove them. The table is created with the first erased event; most days never need it.
 */
import type { Database } from '../database/database.ts'

const CREATE = `
  CREATE TABLE IF NOT EXISTS erased_per_hour (
    domain         INTEGER NOT NULL,
    hour           INTEGER NOT NULL, -- 0 to 23
    type           INTEGER NOT NULL,
    provider       TEXT NOT NULL,
    classification TEXT NOT NULL,
    count          INTEGER NOT NULL,
    PRIMARY KEY (domain, hour, type, provider, classification)
  ) STRICT, WITHOUT ROWID`

const ADD = `
  INSERT INTO erased_per_hour (domain, hour, type, provider, classification, count)
  SELECT ?1, ?2, ?3, ifnull(json_extract('{' || substr(members, 2) || '}', '$.provider_name'), ''),
    ifnull(json_extract('{' || substr(members, 2) || '}', '$.bounce_classification'), ''), ?5
  FROM circumstance WHERE key = ?4
  ON CONFLICT (domain, hour, type, provider, classification) DO UPDATE SET count = count + excluded.count`

/** Rows of domain, hour, type, key of the circumstance, and count. */
export function addErased(db: Database, rows: readonly (readonly number[])[]): void {
  if (rows.length === 0) return
  db.execute(CREATE)
  for (const row of rows) db.run(ADD, ...row)
}

export function removeErased(db: Database, domain: number): void {
  if (hasErased(db)) db.run('DELETE FROM erased_per_hour WHERE domain = ?', domain)
}

export function hasErased(db: Database): boolean {
  return db.number("SELECT count(*) FROM sqlite_schema WHERE name = 'erased_per_hour'") > 0
}
