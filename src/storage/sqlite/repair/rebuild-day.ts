/** Writes the new file of a damaged day: what can be saved, then everything that is computed from it; and checks it. */
import { closeSync, fsyncSync, openSync, statSync } from 'node:fs'
import { Database, type Row } from '../database/database.ts'
import { isDamagedWithSchema, isStorageFailure } from '../database/storage-failure.ts'
import { findDamage, listDifferences, writeCounts } from '../days/check-day.ts'
import { NUMBER_OF_MESSAGE } from '../days/message-key.ts'
import type { DayIdentity } from '../manifest/domain-claims.ts'
import { TextIndex } from '../text-index/text-index.ts'
import type { SearchedTexts } from '../text-index/text-signature.ts'
import { DatabasePages } from './database-pages.ts'
import { type SavedDay, saveDay } from './save-day.ts'

export interface RebuiltDay {
  readonly saved: number
  readonly lost: number
  /** Lost events of each of the 24 hours; those whose hour is not known are in none of them. */
  readonly lostByHour: readonly number[]
  readonly damagedPages: number
  /** Tables whose content could not be read, and is not computed from the events. */
  readonly lostTables: readonly string[]
}

const CACHE_KIB = 65_536
const MESSAGES_AT_ONCE = 5000

/** Computed again, or saved row by row. */
const REBUILT = new Set(
  'mailing circumstance message event arrival_batch day counter event_per_hour message_signature migration identity domain_claim origin sending_per_hour'.split(
    ' ',
  ),
)

/** What makes a file one of this installation. */
export interface RebuildOptions {
  /** Makes an empty file of the day with its whole schema. */
  readonly create: () => Database
  /** How many events the day had at least. */
  readonly events: number
  /** Throws if the damaged file is of another installation or another day, or means other domains. */
  readonly requireOwn: (db: Database, found: readonly DayIdentity[]) => void
}

/** `damaged` must not be open anywhere. */
export function rebuildDay(
  damaged: string,
  { create, events: eventsBefore, requireOwn }: RebuildOptions,
  onProgress: (read: number, all: number) => void = () => undefined,
): RebuiltDay {
  using db = create()
  // Nothing of it is used before it is complete and flushed.
  db.execute(`PRAGMA synchronous = OFF; PRAGMA cache_size = -${CACHE_KIB}`)
  const index = new TextIndex(db)
  let indexed = 0
  let saved: SavedDay
  {
    using pages = new DatabasePages(damaged)
    saved = saveDay(pages, db, onProgress, () => {
      indexed = indexMessages(db, index)
    })
  }
  saved.arrivals.last = Math.max(saved.arrivals.last, eventsBefore)
  const lostTables = copyOtherTables(damaged, db)
  db.transaction(() => {
    writeCounts(db, Math.floor(statSync(damaged).mtimeMs))
    for (const [domain, type, changedAtMs] of saved.changes)
      db.run('UPDATE counter SET changed_at_ms = ? WHERE domain = ? AND type = ?', changedAtMs, domain, type)
    saved.arrivals.writeBatches(db)
    const { arrivals, message, closed } = saved
    db.run('UPDATE day SET arrival = ?, message = ?, indexed = ?, closed = ?', arrivals.last, message, indexed, closed)
  })
  requireOwn(db, saved.identities)
  requireWhole(db)
  db.execute('PRAGMA wal_checkpoint(TRUNCATE)')
  const { path } = db
  db.close()
  flush(path)
  const { events, byHour } = saved.arrivals.countLost()
  return {
    saved: saved.events,
    lost: events,
    lostByHour: byHour,
    damagedPages: saved.damagedPages,
    lostTables,
  }
}

/** Returns the number of the last message that is in the index; the writing side adds the others. */
function indexMessages(db: Database, index: TextIndex): number {
  type Message = { number: number; key: number } & SearchedTexts
  const sql = `
    SELECT ${NUMBER_OF_MESSAGE} AS number, m.key, m.recipient, m.sender, l.header_from AS "from", m.subject
    FROM message m CROSS JOIN mailing l ON l.key = m.mailing
    JOIN message_order o ON o.key = m.key WHERE o.number > ? ORDER BY o.number LIMIT ${MESSAGES_AT_ONCE}`
  // Keys begin with the domain; the index is written in the order of the numbers.
  db.execute(`
    CREATE TEMP TABLE message_order (number INTEGER PRIMARY KEY, key INTEGER NOT NULL);
    INSERT OR IGNORE INTO message_order SELECT ${NUMBER_OF_MESSAGE}, m.key FROM message m`)
  let indexed = 0
  for (let last = 0; ; ) {
    const found = db.all<Message>(sql, last)
    if (found.length === 0) break
    db.transaction(() => {
      if (last === 0) index.begin({ message: 0, indexed: 0 })
      for (const { number, key, ...texts } of found) {
        index.add(key, texts)
        last = number
      }
      indexed = index.finish()
    })
  }
  db.execute('DROP TABLE message_order')
  return indexed
}

/** Tables that no other is computed from, such as the identity of the file: as SQLite reads them. */
function copyOtherTables(damaged: string, db: Database): readonly string[] {
  const lost: string[] = []
  try {
    using source = new Database(damaged, { readOnly: true })
    const sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    for (const { name } of source.all<{ name: string }>(sql)) {
      if (!REBUILT.has(name) && !copyTable(source, db, name)) lost.push(name)
    }
  } catch (error) {
    // The schema itself cannot be read: the new file has what every file of the day has.
    if (!isStorageFailure(error) && !isDamagedWithSchema(error)) throw error
    lost.push('sqlite_schema')
  }
  return lost
}

function copyTable(source: Database, db: Database, name: string): boolean {
  try {
    const rows = source.all<Row>(`SELECT * FROM "${name}"`)
    db.transaction(() => {
      const table = source.get<{ sql: string }>('SELECT sql FROM sqlite_schema WHERE name = ?', name)
      if (!db.get('SELECT 1 FROM sqlite_schema WHERE name = ?', name)) db.execute(table?.sql ?? '')
      db.execute(`DELETE FROM "${name}"`)
      for (const row of rows) {
        const places = Object.keys(row).map(() => '?')
        db.run(`INSERT INTO "${name}" VALUES (${places.join(', ')})`, ...Object.values(row))
      }
    })
    return true
  } catch (error) {
    if (!isStorageFailure(error) && !isDamagedWithSchema(error)) throw error
    return false
  }
}

/** A repair that leaves something wrong must not replace anything. */
function requireWhole(db: Database): void {
  const problem = findDamage(db) ?? listDifferences(db)[0]
  if (problem !== undefined) throw new Error(`the repaired file is not right: ${problem} (${db.path})`)
}

function flush(path: string): void {
  const file = openSync(path, 'r+')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
