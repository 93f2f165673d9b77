/** Restores a backup on this machine, for the command line. */
import { existsSync, statSync } from 'node:fs'
import { AppError } from '../lib/app-error.ts'
import {
  checkBackup,
  type RestoredBackup,
  type RestoreProgress,
  restoreBackup,
} from '../storage/sqlite/backup/restore.ts'
import { isStorageFailure } from '../storage/sqlite/database/storage-failure.ts'

export interface RestoreRequest {
  /** A backup, or a folder of backups: then the newest. */
  readonly backup: string
  /** A new or empty folder. Undefined: the backup is only verified. */
  readonly folder?: string | undefined
  readonly onProgress: (progress: RestoreProgress) => void
}

/** Throws AppError for a backup or a folder that cannot be used; the folder is then as it was. */
export function restore({ backup, folder, onProgress }: RestoreRequest): RestoredBackup {
  // The data is for the server's user only.
  process.umask(0o077)
  try {
    if (folder === undefined) return checkBackup(backup, onProgress)
    requireOwner(folder)
    return restoreBackup(backup, folder, onProgress)
  } catch (error) {
    if (!isStorageFailure(error) || !(error instanceof Error)) throw error
    throw new AppError('storage_unavailable', `The backup cannot be restored: ${error.message}`, { cause: error })
  }
}

/** Files that root creates in another user's folder lock that user's server out. */
function requireOwner(folder: string): void {
  if (process.geteuid?.() !== 0 || !existsSync(folder)) return
  const { uid } = statSync(folder)
  if (uid === 0) return
  throw new AppError(
    'conflict',
    `The folder ${folder} belongs to another user (uid ${uid}). Run this command as that user, for example with sudo -u '#${uid}'.`,
  )
}
