/** How far `tail` has read a source, and the state that goes with it: a small map in a database of its own. */
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError } from '../../../lib/app-error.ts'
import { lockFile } from './data-folder-lock.ts'
import { Database } from './database.ts'

/** Values are JSON; undefined removes the key. */
export type Change = readonly [key: string, value: unknown]

export interface Checkpoint extends Disposable {
  get(key: string): unknown
  /** Everything whose key starts with the prefix, in the order in which the keys were added. */
  list(prefix: string): readonly Change[]
  /** Durable when it returns. */
  commit(changes: readonly Change[]): void
}

/** Cannot collide: the keys of changes are never empty. */
const SOURCE_KEY = ''

/** Throws AppError `conflict` for the checkpoint of another source, and while another process has it. */
export function openCheckpoint(path: string, source: string): Checkpoint {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  using opened = new DisposableStack()
  const words = `Another process follows the same source (checkpoint ${path}). Stop it first.`
  opened.adopt(lockFile(`${path}.lock`, words), (lock) => lock.release())
  const db = opened.use(openDatabase(path, source))
  const open = opened.move()
  return {
    get(key) {
      const row = db.get<{ value: string }>('SELECT value FROM state WHERE key = ?', key)
      return row && JSON.parse(row.value)
    },
    list(prefix) {
      return db
        .all<{ key: string; value: string }>('SELECT key, value FROM state ORDER BY rowid')
        .filter(({ key }) => key !== SOURCE_KEY && key.startsWith(prefix))
        .map(({ key, value }) => [key, JSON.parse(value)])
    },
    commit(changes) {
      if (changes.length === 0) return
      try {
        db.transaction(() => {
          for (const change of changes) apply(db, change)
        })
      } catch (error) {
        throw new AppError('storage_unavailable', `The checkpoint ${path} cannot be written`, { cause: error })
      }
    },
    [Symbol.dispose]: () => open.dispose(),
  }
}

function openDatabase(path: string, source: string): Database {
  // SQLite would create it readable for others.
  closeSync(openSync(path, 'a', 0o600))
  let db: Database | undefined
  try {
    db = new Database(path)
    db.execute(
      'CREATE TABLE IF NOT EXISTS state (rowid INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, value TEXT NOT NULL)',
    )
    db.run('INSERT INTO state (key, value) VALUES (?, ?) ON CONFLICT DO NOTHING', SOURCE_KEY, source)
    const found = db.get<{ value: string }>('SELECT value FROM state WHERE key = ?', SOURCE_KEY)?.value
    if (found === source) return db
    throw new Error(`it belongs to ${JSON.stringify(found)}, not to ${JSON.stringify(source)}`)
  } catch (error) {
    db?.close()
    const problem = error instanceof Error ? error.message : String(error)
    throw new AppError('conflict', `The checkpoint ${path} cannot be used: ${problem}. Move it away to start again.`)
  }
}

function apply(db: Database, [key, value]: Change): void {
  if (value === undefined) db.run('DELETE FROM state WHERE key = ?', key)
  else
    db.run(
      'INSERT INTO state (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
      key,
      JSON.stringify(value),
    )
}
