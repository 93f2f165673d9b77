/**
 * Upgrades a data folder as a server's start does and prints the number of statements; with a number, the process is killed before that
 * statement: open-folder.ts FOLDER [NUMBER].
 */
import { Database } from '../../src/storage/sqlite/database/database.ts'
import { openSqliteStorage } from '../../src/storage/sqlite/open-sqlite-storage.ts'
import { DAY, DAYS, FIRST } from './traffic.ts'

const [dataDir = '', killAt] = process.argv.slice(2)
let statements = 0

for (const name of ['execute', 'run'] as const) {
  const method = Database.prototype[name] as (this: Database, ...args: unknown[]) => unknown
  Object.defineProperty(Database.prototype, name, {
    value(this: Database, ...args: unknown[]) {
      if (++statements === Number(killAt)) process.kill(process.pid, 'SIGKILL')
      return method.apply(this, args)
    },
  })
}

const storage = await openSqliteStorage({
  dataDir,
  clock: () => (FIRST + DAYS * DAY) * 1000,
  serviceMessageIdField: 'service_message_id',
  readers: 1,
})
process.stdout.write(String(statements))
await storage.close()
