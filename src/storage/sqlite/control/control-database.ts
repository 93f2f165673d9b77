/** `control.db`: tenants, keys, domains, quarantine and the counts of removed days. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Database } from '../database/database.ts'
import { readMigrations, runMigrations } from '../database/run-migrations.ts'

export const CONTROL_FILE = 'control.db'

export type ControlDatabase = Database

/** Creates the folder and the file where they are missing, and brings the schema up to date. */
export function openControlDatabase(dataDir: string): ControlDatabase {
  // For the owner alone: the folder holds keys.
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const db = new Database(join(dataDir, CONTROL_FILE))
  try {
    runMigrations(db, readMigrations(join(import.meta.dirname, 'migrations')))
  } catch (error) {
    db.close()
    throw error
  }
  return db
}
