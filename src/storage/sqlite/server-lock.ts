/**
 * One server per data folder. The lock is SQLite's own, on an empty file: the system takes it back when the process dies,
 * however it dies, so it never has to be cleaned up and no process number has to be believed.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AppError } from '../../lib/app-error.ts'

export const SERVER_LOCK_FILE = 'server.lock'

const SQLITE_BUSY = 5

export interface ServerLock {
  release(): void
}

/** Throws AppError `conflict` when another server holds it. The command line does not need it. */
export function lockServer(dataDir: string): ServerLock {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const db = new DatabaseSync(join(dataDir, SERVER_LOCK_FILE), { timeout: 0 })
  try {
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) {
      throw new AppError(
        'conflict',
        `Another Envelog server uses the data folder ${dataDir}. Stop that one, or set ENVELOG_DATA_DIR to another folder.`,
      )
    }
    throw error
  }
  return { release: () => db.close() }
}
