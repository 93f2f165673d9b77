import { join } from 'node:path'
import { describe } from 'node:test'
import { openTemporaryFolder } from '../../../test/harness/temporary-folder.ts'
import { systemClock } from '../../lib/clock.ts'
import { storageLifeContract } from '../contract/storage-life.contract.ts'
import { restoreBackup } from './backup/restore.ts'
import { CONTROL_FILE } from './control/control-file.ts'
import { Database } from './database/database.ts'
import { DayFiles } from './days/day-files.ts'
import { openSqliteStorage } from './open-sqlite-storage.ts'

const OPTIONS = { clock: systemClock, serviceMessageIdField: 'service_message_id' }

describe('the SQLite engine', () => {
  storageLifeContract(async () => {
    const folder = openTemporaryFolder()
    return {
      open: () => openSqliteStorage({ ...OPTIONS, dataDir: folder.path }),
      openCopy(backup) {
        const dataDir = join(backup, '..', 'restored')
        restoreBackup(backup, dataDir)
        return openSqliteStorage({ ...OPTIONS, dataDir })
      },
      /** Another connection holds the write locks. */
      async breakWriting() {
        const files = new DayFiles(folder.path)
        const paths = [join(folder.path, CONTROL_FILE), ...files.list().map((day) => files.path(day))]
        const locked = paths.map((path) => new Database(path))
        for (const db of locked) db.execute('BEGIN IMMEDIATE')
        return async () => {
          for (const db of locked) db.close()
        }
      },
      [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
    }
  })
})
