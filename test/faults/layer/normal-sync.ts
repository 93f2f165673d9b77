/** Loaded into the server before its own code: SQLite runs with synchronous=NORMAL wherever FULL was asked for. */
import { DatabaseSync } from 'node:sqlite'

const exec = Reflect.get(DatabaseSync.prototype, 'exec') as (sql: string) => void

DatabaseSync.prototype.exec = function (this: DatabaseSync, sql: string) {
  Reflect.apply(exec, this, [sql.replaceAll('synchronous = FULL', 'synchronous = NORMAL')])
}
