/**
 * `history.db`, the history index: what the closed days contain, in one file, so that a question about years of history
 * opens no day that has no answer. Everything in it is derived from the day files: it is deleted and built again if it is
 * missing, damaged or of another version.
 */
import { closeSync, fsyncSync, openSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { removeFile } from '../../../lib/remove-file.ts'
import { Database } from '../database/database.ts'
import { isDamaged } from '../database/storage-failure.ts'

const HISTORY_FILE = 'history.db'
const VERSION = 2
const CACHE_KIB = 8192

/**
 * Invariant of every commit: `total` is the sum of the rows of `domain_day`. The rows of an open day may be outdated or
 * incomplete, and nothing but that sum uses them.
 */
const SCHEMA = `
  CREATE TABLE day (
    day          INTEGER PRIMARY KEY, -- days since 1970
    is_open      INTEGER NOT NULL,    -- 1 before anything is written to the file: its content is not known here
    arrival      INTEGER NOT NULL,    -- the last arrival number
    events       INTEGER NOT NULL,    -- that it has, without erased and lost ones
    stored_at_ms INTEGER NOT NULL,    -- the last commit; 0 if none is known
    bytes        INTEGER NOT NULL,    -- of the file that was summarized: another one is not trusted
    modified_ms  REAL    NOT NULL
  ) STRICT;
  CREATE TABLE domain_day (
    day    INTEGER NOT NULL,
    domain INTEGER NOT NULL,
    types  TEXT    NOT NULL, -- JSON: a count for each of EVENT_TYPES
    hours  BLOB,             -- packed-counts.ts, by hour; NULL if there are too many
    PRIMARY KEY (day, domain)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE domain_span (
    span   INTEGER NOT NULL,
    domain INTEGER NOT NULL,
    counts BLOB    NOT NULL, -- packed-counts.ts, by day
    PRIMARY KEY (span, domain)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE total (
    domain        INTEGER PRIMARY KEY,
    types         TEXT    NOT NULL,
    changed_at_ms INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE message_id (
    key INTEGER PRIMARY KEY -- id-key.ts. Never too few; those of removed days go with their span
  ) STRICT;
  PRAGMA user_version = ${VERSION};`

export function historyPath(dataDir: string): string {
  return join(dataDir, HISTORY_FILE)
}

/** Creates it, or replaces one that cannot be used. */
export function openHistoryForWriting(dataDir: string): Database {
  // A WAL that was left beside a file that is gone would become part of the new one.
  if (!statSync(historyPath(dataDir), { throwIfNoEntry: false })?.size) discardHistory(dataDir)
  try {
    const found = openVersion(dataDir)
    if (found) return found
  } catch (error) {
    if (!isDamaged(error)) throw error
  }
  discardHistory(dataDir)
  const created = openVersion(dataDir)
  if (!created) throw new Error(`${historyPath(dataDir)} cannot be created`)
  return created
}

/** Undefined for another version. */
function openVersion(dataDir: string): Database | undefined {
  const db = new Database(historyPath(dataDir), { cacheKib: CACHE_KIB })
  try {
    if (db.number('SELECT count(*) FROM sqlite_schema') === 0) db.transaction(() => db.execute(SCHEMA))
    if (db.number('PRAGMA user_version') === VERSION) return db
  } catch (error) {
    db.close()
    throw error
  }
  db.close()
  return undefined
}

/** The file first: without it the other two are meaningless. Durable when it returns. */
export function discardHistory(dataDir: string): void {
  for (const suffix of ['', '-wal', '-shm']) removeFile(historyPath(dataDir) + suffix)
  const folder = openSync(dataDir, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
