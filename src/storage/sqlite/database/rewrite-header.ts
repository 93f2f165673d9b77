/** Proves that a database can be written. */
import type { Database } from './database.ts'

/** A transaction without changes writes nothing and so proves nothing. Setting user_version writes, whatever its value. */
export function rewriteHeader(db: Database): void {
  db.transaction(() => {
    db.execute(`PRAGMA user_version = ${db.number('PRAGMA user_version')}`)
  })
}
