/** How far `tail` has read a source, and the state that goes with it: a small map in a database of its own. */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError } from '../../../lib/app-error.ts'
import { makeFolder } from '../../../lib/make-folder.ts'
import { removeFile } from '../../../lib/remove-file.ts'
import { lockFile } from './data-folder-lock.ts'
import { Database } from './database.ts'
import { isDamaged, isStorageFailure } from './storage-failure.ts'

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
const ADD_SOURCE = 'INSERT INTO state (key, value) VALUES (?, ?) ON CONFLICT DO NOTHING'

/** Throws AppError `conflict` for the checkpoint of another source, and while another process has it. */
export function openCheckpoint(path: string, source: string): Checkpoint {
  makeFolder(dirname(path))
  using opened = new DisposableStack()
  const words = `Another process follows the same source (checkpoint ${path}). Stop it first.`
  opened.adopt(lockFile(`${path}.lock`, words), (lock) => lock.release())
  const { db, values } = openDatabase(path, source)
  opened.use(db)
  const open = opened.move()
  return {
    get: (key) => values.get(key),
    list: (prefix) => [...values].filter(([key]) => key.startsWith(prefix)),
    commit(changes) {
      if (changes.length === 0) return
      try {
        db.transaction(() => {
          for (const change of changes) apply(db, change)
        })
      } catch (error) {
        throw new AppError('storage_unavailable', `The checkpoint ${path} cannot be written`, { cause: error })
      }
      for (const [key, value] of changes) {
        if (value === undefined) values.delete(key)
        else values.set(key, value)
      }
    },
    [Symbol.dispose]: () => open.dispose(),
  }
}

/** `values`: kept in memory, because a folder can have thousands of segments, and each is looked up at every poll. */
function openDatabase(path: string, source: string): { readonly db: Database; readonly values: Map<string, unknown> } {
  let db: Database | undefined
  try {
    takeOverJournal(path)
    db = createDatabase(path)
    db.run(ADD_SOURCE, SOURCE_KEY, source)
    const rows = db.allArrays<[key: string, value: string]>('SELECT key, value FROM state ORDER BY rowid')
    const stored = new Map(rows)
    const found = stored.get(SOURCE_KEY)
    stored.delete(SOURCE_KEY)
    if (found === source) return { db, values: new Map([...stored].map(([key, value]) => [key, JSON.parse(value)])) }
    throw new Error(`it belongs to ${JSON.stringify(found)}, not to ${JSON.stringify(source)}`)
  } catch (error) {
    db?.close()
    const problem = error instanceof Error ? error.message : String(error)
    if (isStorageFailure(error) && !isDamaged(error)) {
      throw new AppError('storage_unavailable', `The checkpoint ${path} cannot be opened: ${problem}`, { cause: error })
    }
    throw new AppError('conflict', `The checkpoint ${path} cannot be used: ${problem}. Move it away to start again.`)
  }
}

function createDatabase(path: string): Database {
  // SQLite would create it readable for others.
  closeSync(openSync(path, 'a', 0o600))
  const db = new Database(path)
  db.execute(
    'CREATE TABLE IF NOT EXISTS state (rowid INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, value TEXT NOT NULL)',
  )
  return db
}

/** Earlier versions wrote lines of JSON: the source, then lists of changes. The file is replaced by a database with the same values. */
function takeOverJournal(path: string): void {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  if (!text.startsWith('{"checkpoint":')) return
  // A last line without an end was cut short by a crash.
  const [header = '', ...lines] = text.split('\n').slice(0, -1)
  const draft = `${path}.new`
  for (const suffix of ['.new', '.new-wal', '.new-shm', '-wal', '-shm']) removeFile(path + suffix)
  {
    using db = createDatabase(draft)
    db.transaction(() => {
      db.run(ADD_SOURCE, SOURCE_KEY, JSON.parse(header).checkpoint)
      for (const [key, value] of lines.flatMap((line) => JSON.parse(line))) apply(db, [key, value ?? undefined])
    })
    db.complete()
  }
  renameSync(draft, path)
  const folder = openSync(dirname(path), 'r')
  fsyncSync(folder)
  closeSync(folder)
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
