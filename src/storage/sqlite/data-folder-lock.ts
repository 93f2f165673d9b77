/**
 * One server per data folder. The lock is SQLite's own on a file that holds nothing else: the system releases it when the
 * process ends, however it ends, so that no stale lock ever needs to be removed by hand.
 */
import { join } from 'node:path'
import { AppError } from '../../lib/app-error.ts'
import { Database } from './database.ts'

export const LOCK_FILE = 'server.lock'

export function lockDataFolder(dataDir: string): { release(): void } {
  const db = new Database(join(dataDir, LOCK_FILE), { journal: 'delete', busyTimeoutMs: 0 })
  try {
    db.execute('BEGIN EXCLUSIVE')
  } catch (cause) {
    db.close()
    throw new AppError(
      'conflict',
      `Another Envelog server is using the data folder ${dataDir}. Stop it first, or set ENVELOG_DATA_DIR.`,
      {
        cause,
      },
    )
  }
  return { release: () => db.close() }
}
