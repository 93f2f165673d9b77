/** A copy of the data folder, taken while it is in use. */
import { copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../lib/app-error.ts'
import { MASTER_KEY_FILE } from '../../lib/master-key.ts'
import { CONTROL_FILE } from './control/control-database.ts'
import { Database } from './database.ts'
import { DayFiles } from './events/day-files.ts'

/**
 * Days first, the control file last: it then knows every domain that the copied events refer to, and every day that was
 * folded meanwhile.
 */
export async function backupDataFolder(
  dataDir: string,
  folder: string,
  onProgress: (file: string) => void,
): Promise<void> {
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new AppError('conflict', `The folder ${folder} is not empty: name a new or an empty one for the backup.`)
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const target = new DayFiles(folder)
  const source = new DayFiles(dataDir)
  for (const day of source.list()) await copyDatabase(source.path(day), target.path(day), onProgress)
  await copyDatabase(join(dataDir, CONTROL_FILE), join(folder, CONTROL_FILE), onProgress)
  const keyFile = join(dataDir, MASTER_KEY_FILE)
  if (existsSync(keyFile)) copyFileSync(keyFile, join(folder, MASTER_KEY_FILE))
}

async function copyDatabase(from: string, to: string, onProgress: (file: string) => void): Promise<void> {
  // Retention may have removed a day since the list was made; its counts are in the control file, which comes last.
  if (!existsSync(from)) return
  const db = new Database(from, { readOnly: true })
  try {
    await db.copyTo(to)
    onProgress(to)
  } finally {
    db.close()
  }
}
