/** `control.db`: tenants, keys, domains, quarantine, audit log and the counts of removed days. */
import { join } from 'node:path'
import { makeFolder } from '../../../lib/make-folder.ts'
import { type Migration, readMigrations } from '../../read-migrations.ts'
import { Database } from '../database/database.ts'
import { runMigrations } from '../database/run-migrations.ts'
import { CONTROL_FILE } from './control-file.ts'

export const CONTROL_MIGRATIONS: readonly Migration[] = readMigrations(join(import.meta.dirname, 'migrations'))

/** Creates the folder and the file if they are missing, and brings the schema up to date. */
export function openControlDatabase(dataDir: string): Database {
  // For the owner alone: the folder holds keys.
  makeFolder(dataDir)
  const db = new Database(join(dataDir, CONTROL_FILE))
  // Rejected records and addresses that are removed must not stay readable in free pages.
  db.execute('PRAGMA secure_delete = ON')
  try {
    runMigrations(db, CONTROL_MIGRATIONS)
  } catch (error) {
    db.close()
    throw error
  }
  return db
}
