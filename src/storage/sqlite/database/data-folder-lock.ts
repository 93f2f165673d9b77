/**
 * One owner per data folder. The lock is SQLite's own on a file that holds nothing else: the system releases it when the
 * process ends, however it ends, so that no stale lock ever needs to be removed by hand.
 */
import { join } from 'node:path'
import { AppError } from '../../../lib/app-error.ts'
import { Database } from './database.ts'

export const LOCK_FILE = 'server.lock'

const SQLITE_BUSY = 5

/** Another process owns the data folder: a server, or a command if no server runs. */
export class FolderLockedError extends AppError {}

/** Throws FolderLockedError when another process has it. */
export function lockDataFolder(dataDir: string): { release(): void } {
  const words = `Another Envelog server is using the data folder ${dataDir}. Stop it first, or set ENVELOG_DATA_DIR to another folder.`
  return lockFile(join(dataDir, LOCK_FILE), words, FolderLockedError)
}

/** The same for any file made for this purpose. Throws AppError `conflict` with these words while another process has it. */
export function lockFile(path: string, words: string, Refusal = AppError): { release(): void } {
  let db: Database | undefined
  try {
    // Opening already reads the file, which the lock of the other process prevents.
    db = new Database(path, { journal: 'delete', busyTimeoutMs: 0 })
    db.execute('BEGIN EXCLUSIVE')
  } catch (error) {
    db?.close()
    throw isBusy(error) ? new Refusal('conflict', words, { cause: error }) : error
  }
  const locked = db
  return { release: () => locked.close() }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY
}
