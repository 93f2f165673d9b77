/** A copy of the databases in the data folder, taken while the server runs. It does not include the secrets. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { isAbsolute, join, relative, resolve } from 'node:path'
import { AppError } from '../../../lib/app-error.ts'
import { makeFolder } from '../../../lib/make-folder.ts'
import { CONTROL_FILE } from '../control/control-database.ts'
import { Database } from '../database/database.ts'
import { isStorageFailure } from '../database/storage-failure.ts'
import { DayFiles } from './day-files.ts'

/**
 * Days first, the control file last: it then knows every domain that the copied events refer to, and every day that was
 * folded meanwhile.
 */
export async function backupDataFolder(
  dataDir: string,
  folder: string,
  onProgress: (file: string) => void,
): Promise<void> {
  requireBackupFolder(dataDir, folder)
  makeFolder(folder)
  const target = new DayFiles(folder)
  const source = new DayFiles(dataDir)
  for (const day of source.list()) await copyDatabase(source.path(day), target.path(day), onProgress)
  await copyDatabase(join(dataDir, CONTROL_FILE), join(folder, CONTROL_FILE), onProgress)
}

function requireBackupFolder(dataDir: string, folder: string): void {
  const inside = relative(resolve(dataDir), resolve(folder))
  if (!inside.startsWith('..') && !isAbsolute(inside)) {
    throw new AppError(
      'conflict',
      `The folder ${folder} is inside the data folder: choose another one, preferably on another disk.`,
    )
  }
  const found = statSync(folder, { throwIfNoEntry: false })
  if (found && !found.isDirectory()) {
    throw new AppError('conflict', `${folder} is a file: choose a new or empty folder for the backup.`)
  }
  if (found && readdirSync(folder).length > 0) {
    throw new AppError('conflict', `The folder ${folder} is not empty: choose a new or empty one for the backup.`)
  }
}

async function copyDatabase(from: string, to: string, onProgress: (file: string) => void): Promise<void> {
  // Retention may have removed a day since the list was made; its counts are in the control file, which comes last.
  if (!existsSync(from)) return
  try {
    using db = new Database(from, { readOnly: true })
    await db.copyTo(to)
    onProgress(to)
  } catch (error) {
    if (!isStorageFailure(error) || !(error instanceof Error)) throw error
    throw new AppError('storage_unavailable', `${from} cannot be copied: ${error.message}`, { cause: error })
  }
}
