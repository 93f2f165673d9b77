/**
 * Numbered .sql files, each applied once and in order, each in its own transaction with the record of it.
 * A file that was applied must not change afterwards: its checksum is compared at every start.
 */
import { AppError } from '../../../lib/app-error.ts'
import type { Migration } from '../../read-migrations.ts'
import type { Database } from './database.ts'

export function runMigrations(db: Database, migrations: readonly Migration[]): void {
  const found = db.number('PRAGMA user_version')
  if (found > migrations.length) {
    throw new AppError(
      'conflict',
      `${db.path} was written by a newer version of Envelog (schema ${found}, this version knows ${migrations.length}). Start that version or a later one, or restore a backup that this version has written.`,
    )
  }
  if (found === migrations.length && migrations.every((migration) => isApplied(db, migration))) return
  db.execute(`CREATE TABLE IF NOT EXISTS migration (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL
  ) STRICT`)
  for (const migration of migrations) {
    const { number, name, sql, checksum } = migration
    db.transaction(() => {
      // Asked inside the lock: another process may have applied it while we waited.
      if (isApplied(db, migration)) return
      db.execute(sql)
      db.run('INSERT INTO migration (number, name, checksum) VALUES (?, ?, ?)', number, name, checksum)
      // user_version is in the file's header, so that the schema is known without opening a database.
      db.execute(`PRAGMA user_version = ${number}`)
    })
  }
}

function isApplied(db: Database, { number, name, checksum }: Migration): boolean {
  const row = db.get<{ checksum: string }>('SELECT checksum FROM migration WHERE number = ?', number)
  if (row && row.checksum !== checksum) {
    throw new Error(`migration ${name} was changed after it was applied to ${db.path}`)
  }
  return row !== undefined
}
