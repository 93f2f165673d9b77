/** A storage in a temporary folder: the fast fake of every test, and the real thing at once. */
import { type Clock, systemClock } from '../../src/lib/clock.ts'
import { openSqliteStorage } from '../../src/storage/sqlite/open-sqlite-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { openTemporaryFolder } from './temporary-folder.ts'

export async function openTestStorage(
  clock: Clock = systemClock,
): Promise<Storage & AsyncDisposable & { readonly dataDir: string }> {
  const folder = openTemporaryFolder()
  const storage = await openSqliteStorage({ dataDir: folder.path, clock, serviceMessageIdField: 'service_message_id' })
  return {
    ...storage,
    dataDir: folder.path,
    [Symbol.asyncDispose]: async () => {
      await storage.close()
      folder[Symbol.dispose]()
    },
  }
}
