/**
 * How many events were erased of a day whose counts stay: the counters are those of the events plus these, so that a recount can
 * still prove them. The tables are created with the first erased event; most days never need them.
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

/** With the origin of each event, also of those beyond the limit. */
const CREATE_SENDING = `
  CREATE TABLE IF NOT EXISTS erased_sending_per_hour (
    domain   INTEGER NOT NULL,
    origin   INTEGER NOT NULL,
    hour     INTEGER NOT NULL, -- 0 to 23
    type     INTEGER NOT NULL,
    provider TEXT NOT NULL,
    count    INTEGER NOT NULL,
    PRIMARY KEY (domain, origin, hour, type, provider)
  ) STRICT, WITHOUT ROWID`

const ADD_SENDING = `
  INSERT INTO erased_sending_per_hour (domain, hour, type, origin, provider, count)
  SELECT ?1, ?2, ?3, ?6, ifnull(json_extract('{' || substr(members, 2) || '}', '$.provider_name'), ''), ?5
  FROM circumstance WHERE key = ?4
  ON CONFLICT (domain, origin, hour, type, provider) DO UPDATE SET count = count + excluded.count`

export interface ErasedCount {
  readonly domain: number
  readonly hour: number
  readonly type: number
  readonly circumstance: number
  readonly origin: number | null
  count: number
}

type ErasedTable = 'erased_per_hour' | 'erased_sending_per_hour'

export function addErased(db: Database, counts: readonly ErasedCount[]): void {
  if (counts.length === 0) return
  db.execute(CREATE)
  if (counts.some(({ origin }) => origin !== null)) db.execute(CREATE_SENDING)
  for (const { domain, hour, type, circumstance, origin, count } of counts) {
    db.run(ADD, domain, hour, type, circumstance, count)
    if (origin !== null) db.run(ADD_SENDING, domain, hour, type, circumstance, count, origin)
  }
}

export function removeErased(db: Database, domain: number): void {
  for (const table of ['erased_per_hour', 'erased_sending_per_hour'] as const) {
    if (hasErased(db, table)) db.run(`DELETE FROM ${table} WHERE domain = ?`, domain)
  }
}

export function hasErased(db: Database, table: ErasedTable): boolean {
  return db.number('SELECT count(*) FROM sqlite_schema WHERE name = ?', table) > 0
}
