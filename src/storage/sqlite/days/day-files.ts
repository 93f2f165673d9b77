/** The folder of event files: `events/YYYY-MM-DD.db`, one per UTC day of the events' own time. */
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../../lib/make-folder.ts'
import { Database } from '../database/database.ts'
import { type Migration, readMigrations, runMigrations } from '../database/run-migrations.ts'
import { isStorageFailure } from '../database/storage-failure.ts'
import { type Day, isDay } from './day.ts'

const migrations: readonly Migration[] = readMigrations(join(import.meta.dirname, 'migrations'))

export class DayFiles {
  readonly folder: string

  constructor(dataDir: string) {
    this.folder = join(dataDir, 'events')
    makeFolder(this.folder)
  }

  path(day: Day): string {
    return join(this.folder, `${day}.db`)
  }

  /** Newest first. */
  list(): readonly Day[] {
    const names = readdirSync(this.folder).filter((name) => name.endsWith('.db'))
    return names
      .map((name) => name.slice(0, -3))
      .filter(isDay)
      .sort()
      .reverse()
  }

  /** When a file of a day was last written, by the clock of that time; 0 without any. */
  get writtenAtMs(): number {
    const paths = this.list().flatMap((day) => [this.path(day), `${this.path(day)}-wal`])
    return paths.reduce((newest, path) => Math.max(newest, statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0), 0)
  }

  has(day: Day): boolean {
    return existsSync(this.path(day))
  }

  /** Opens the day for writing, creating it when needed. A file appears under its name only with its whole schema. */
  openForWriting(day: Day, cacheKib: number): Database {
    const path = this.path(day)
    if (!this.has(day)) this.#create(path)
    const db = new Database(path, { cacheKib })
    // Fewer, larger checkpoints: under load each would rewrite the same pages.
    db.execute('PRAGMA wal_autocheckpoint = 16000')
    runMigrations(db, migrations)
    return db
  }

  openForReading(day: Day, cacheKib: number): Database {
    return new Database(this.path(day), { readOnly: true, cacheKib })
  }

  /** Brings days that an older version wrote up to date, so that readers find what they expect. */
  migrate(): void {
    for (const day of this.list()) {
      if (this.#schemaVersion(day) >= migrations.length) continue
      try {
        this.openForWriting(day, 1024).close()
      } catch (error) {
        // One damaged day must not keep the server from starting; using that day reports it.
        if (!isStorageFailure(error)) throw error
      }
    }
  }

  /** user_version as the file's header has it (https://sqlite.org/fileformat.html, offset 60): no need to open a database. */
  #schemaVersion(day: Day): number {
    const file = openSync(this.path(day), 'r')
    try {
      const header = Buffer.alloc(100)
      return readSync(file, header, 0, 100, 0) < 100 ? 0 : header.readUInt32BE(60)
    } finally {
      closeSync(file)
    }
  }

  remove(day: Day): void {
    // The database first: without it the other two files are meaningless, but a database without its WAL would be outdated.
    for (const suffix of ['', '-wal', '-shm']) rmSync(this.path(day) + suffix, { force: true })
    this.#sync()
  }

  /** Leftovers of an interrupted creation. */
  removeDrafts(): void {
    for (const name of readdirSync(this.folder))
      if (name.includes('.draft')) rmSync(join(this.folder, name), { force: true })
  }

  #create(path: string): void {
    const draft = `${path}.draft`
    for (const suffix of ['', '-wal', '-shm']) rmSync(draft + suffix, { force: true })
    {
      using db = new Database(draft)
      runMigrations(db, migrations)
    }
    renameSync(draft, path)
    this.#sync()
  }

  /** Makes creations and removals in the folder durable. */
  #sync(): void {
    const folder = openSync(this.folder, 'r')
    try {
      fsyncSync(folder)
    } finally {
      closeSync(folder)
    }
  }
}
