/** The folder of event files: `events/YYYY-MM-DD.db`, one per UTC day of the events' own time. */
import { closeSync, existsSync, fsyncSync, openSync, readdirSync, renameSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { AppError } from '../../../lib/app-error.ts'
import { makeFolder } from '../../../lib/make-folder.ts'
import { PROGRAM } from '../../../lib/program-name.ts'
import { removeFile } from '../../../lib/remove-file.ts'
import { type Migration, readMigrations } from '../../read-migrations.ts'
import type { DayTrouble } from '../../storage.ts'
import { Database } from '../database/database.ts'
import { runMigrations } from '../database/run-migrations.ts'
import type { DayManifest } from '../manifest/day-manifest.ts'
import { DomainClaims, writeIdentity } from '../manifest/domain-claims.ts'
import { removeKept } from '../repair/day-swap.ts'
import type { DayTroubles } from '../troubles/day-troubles.ts'
import { type Day, isDay } from './day.ts'

export const DAY_MIGRATIONS: readonly Migration[] = readMigrations(join(import.meta.dirname, 'migrations'))

export const DAY_SCHEMA_VERSION = DAY_MIGRATIONS.length

/** Brings a file that an older version wrote up to date. Throws AppError `conflict` for one of a newer version. */
export function upgradeDay(db: Database): void {
  runMigrations(db, DAY_MIGRATIONS)
}

/** The trouble of a day whose file is gone. */
export function missingDay(day: Day, sinceMs: number, events = 0): DayTrouble {
  const had = events > 0 ? `; it had at least ${events} events` : ''
  const detail = `events/${day}.db is missing${had}. Restore it from a backup and restart the server, or continue without it: ${PROGRAM} days accept ${day}`
  return { day, kind: 'missing', sinceMs, detail }
}

/** A day that is set aside cannot be written to. */
export class DaySetAsideError extends AppError {
  readonly trouble: DayTrouble

  constructor(trouble: DayTrouble) {
    super(
      'storage_unavailable',
      `Events of ${trouble.day} cannot be stored at the moment: the day is set aside (${trouble.kind}). Send them again later; nothing is stored twice.`,
    )
    this.trouble = trouble
  }
}

export class DayFiles {
  readonly folder: string
  readonly #troubles: DayTroubles | undefined
  readonly #manifest: DayManifest | undefined
  /** Called before a day is opened for writing; if it throws, the day is not opened. */
  beforeWriting: (day: Day) => void = () => undefined

  /**
   * `troubles`: the days that are left out; without them every file is used. `manifest`: for writing, so that new files carry the
   * identity of the installation and a lost one is not silently created anew.
   */
  constructor(dataDir: string, troubles?: DayTroubles, manifest?: DayManifest) {
    this.#troubles = troubles
    this.#manifest = manifest
    this.folder = join(dataDir, 'events')
    makeFolder(this.folder)
  }

  path(day: Day): string {
    return join(this.folder, `${day}.db`)
  }

  /** The day whose file this is. */
  dayOf(path: string): Day | undefined {
    const day = basename(path, '.db')
    return isDay(day) && this.path(day) === path ? day : undefined
  }

  /** The days to read, newest first: those with a file that is not set aside. */
  list(): readonly Day[] {
    const aside = new Set(this.#troubles?.list().map(({ day }) => day))
    return this.listAll().filter((day) => !aside.has(day))
  }

  /** Every day with a file, newest first. */
  listAll(): readonly Day[] {
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
    return existsSync(this.path(day)) && !this.#troubles?.find(day)
  }

  /**
   * Opens the day for writing, creating it when needed. A file appears under its name only with its whole schema. Throws
   * DaySetAsideError.
   */
  openForWriting(day: Day, cacheKib: number): Database {
    const path = this.path(day)
    if (!existsSync(path) && this.#manifest?.has(day)) this.#troubles?.note(missingDay(day, Date.now()))
    const trouble = this.#troubles?.find(day)
    if (trouble) throw new DaySetAsideError(trouble)
    this.beforeWriting(day)
    if (!existsSync(path)) this.#create(day)
    this.#manifest?.open(day, path, DAY_SCHEMA_VERSION)
    const db = new Database(path, { cacheKib })
    try {
      // Fewer, larger checkpoints: under load each would rewrite the same pages.
      db.execute('PRAGMA wal_autocheckpoint = 16000')
      runMigrations(db, DAY_MIGRATIONS)
    } catch (error) {
      db.close()
      throw error
    }
    return db
  }

  openForReading(day: Day, cacheKib: number): Database {
    return new Database(this.path(day), { readOnly: true, cacheKib })
  }

  /** Undefined if the day has no file to read, or no longer has one: retention removes days while other threads open them. */
  openIfPresent(day: Day, cacheKib: number): Database | undefined {
    if (!this.has(day)) return undefined
    try {
      return this.openForReading(day, cacheKib)
    } catch (error) {
      if (this.has(day)) throw error
      return undefined
    }
  }

  /** Which domain each number means in the day, to be written with its events. Undefined without a manifest. */
  claimsOf(db: Database): DomainClaims | undefined {
    return this.#manifest && new DomainClaims(db, this.#manifest.installation)
  }

  remove(day: Day): void {
    removeKept(this.path(day))
    // The database first: without it the other two files are meaningless, but a database without its WAL would be outdated.
    for (const suffix of ['', '-wal', '-shm']) removeFile(this.path(day) + suffix)
    this.#sync()
  }

  /** Leftovers of an interrupted creation. */
  removeDrafts(): void {
    for (const name of readdirSync(this.folder)) if (name.includes('.draft')) removeFile(join(this.folder, name))
  }

  #create(day: Day): void {
    const path = this.path(day)
    const draft = `${path}.draft`
    for (const suffix of ['', '-wal', '-shm']) removeFile(draft + suffix)
    {
      using db = this.createDraft(day, draft)
      db.complete()
    }
    // Left over from a file that was lost: SQLite would apply it to the new one.
    for (const suffix of ['-wal', '-shm']) removeFile(path + suffix)
    renameSync(draft, path)
    this.#sync()
    this.#manifest?.add(day)
  }

  /** A file with the whole schema of a day, under another name. */
  createDraft(day: Day, path: string): Database {
    const db = new Database(path)
    runMigrations(db, DAY_MIGRATIONS)
    if (this.#manifest) writeIdentity(db, day, this.#manifest.installation)
    return db
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
