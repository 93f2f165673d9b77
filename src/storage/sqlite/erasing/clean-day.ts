/**
 * Rewrites a day's file after rows were removed, so that nothing of them is left in it: texts that no row refers to any more, gaps
 * of pages, free pages, the WAL. Nobody else may write the day meanwhile; readers are not affected.
 */
import { dirname } from 'node:path'
import type { Database } from '../database/database.ts'
import { hasErased } from './erased-counts.ts'

/**
 * The last row stays, without its text: its key must not be given to another text while readers remember the old one. Real texts
 * are empty or begin with a comma.
 */
function removeUnused(db: Database, table: 'circumstance' | 'mailing', users: string): void {
  db.run(`
    DELETE FROM ${table}
    WHERE key NOT IN (SELECT ${table} FROM ${users}) AND key < (SELECT max(key) FROM ${table})`)
  db.run(`
    UPDATE ${table} SET members = 'erased ' || key ${table === 'mailing' ? ', header_from = NULL' : ''}
    WHERE key = (SELECT max(key) FROM ${table}) AND key NOT IN (SELECT ${table} FROM ${users})`)
}

/** The same for origins, which counts refer to as well. */
function removeUnusedOrigins(db: Database): void {
  const erased = hasErased(db, 'erased_sending_per_hour') ? 'UNION ALL SELECT origin FROM erased_sending_per_hour' : ''
  const unused = `key NOT IN (
    SELECT origin FROM event WHERE origin IS NOT NULL UNION ALL SELECT origin FROM sending_per_hour ${erased})`
  db.run(`DELETE FROM origin WHERE ${unused} AND key < (SELECT max(key) FROM origin)`)
  db.run(`
    UPDATE origin SET address = '', source = '\n' || key, pool = ''
    WHERE key = (SELECT max(key) FROM origin) AND ${unused}`)
}

/** False if a reader kept the WAL in use: some of it may be left, and it has to be repeated. */
export function cleanDay(db: Database): boolean {
  db.transaction(() => {
    removeUnused(db, 'circumstance', 'event')
    removeUnused(db, 'mailing', 'message')
    removeUnusedOrigins(db)
  })
  // A copy of the file while it runs: too much for the memory, and the system's folder for such files may be small.
  db.execute(`PRAGMA temp_store = FILE; PRAGMA temp_store_directory = '${dirname(db.path).replaceAll("'", "''")}'`)
  db.execute('VACUUM')
  return db.number('PRAGMA wal_checkpoint(TRUNCATE)') === 0
}
