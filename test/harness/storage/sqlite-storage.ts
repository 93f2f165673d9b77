/** The real storage in a temporary folder, fast enough to need no fake. */
import { type Clock, systemClock } from '../../../src/lib/clock.ts'
import { openSqliteStorage, type SqliteStorageOptions } from '../../../src/storage/sqlite/open-sqlite-storage.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { openTemporaryFolder } from '../temporary-folder.ts'

export async function openTestStorage(
  clock: Clock = systemClock,
  options: Pick<SqliteStorageOptions, 'searchThresholds' | 'readers' | 'quarantineBytes'> = {},
): Promise<Storage & AsyncDisposable & { readonly dataDir: string }> {
  const folder = openTemporaryFolder()
  const serviceMessageIdField = 'service_message_id'
  const storage = await openSqliteStorage({ ...options, dataDir: folder.path, clock, serviceMessageIdField })
  return Object.assign(storage, {
    dataDir: folder.path,
    [Symbol.asyncDispose]: async () => {
      await storage.close()
      folder[Symbol.dispose]()
    },
  })
}
