/** The data folder that is moved, read while its server runs: nothing in it is changed. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { LogDomain } from '../../events/log/log-query.ts'
import { AppError } from '../../lib/app-error.ts'
import { readMigrations } from '../read-migrations.ts'
import { CONTROL_FILE } from '../sqlite/control/control-file.ts'
import { Database } from '../sqlite/database/database.ts'
import type { Day } from '../sqlite/days/day.ts'
import { DAY_SCHEMA_VERSION, DayFiles } from '../sqlite/days/day-files.ts'
import { Installation } from '../sqlite/manifest/installation.ts'
import { DayTroubles } from '../sqlite/troubles/day-troubles.ts'
import { isFolded } from '../sqlite/writing/retention.ts'

const CACHE_KIB = 16_384
const CONTROL_MIGRATIONS = join(import.meta.dirname, '../sqlite/control/migrations')

export class SourceFolder implements Disposable {
  readonly control: Database
  readonly installation: string
  readonly #files: DayFiles

  private constructor(dataDir: string, control: Database) {
    this.control = control
    this.installation = new Installation(control).id
    this.#files = new DayFiles(dataDir)
  }

  /** Throws AppError `not_found` without data, `conflict` for data of another version and for days that are set aside. */
  static open(dataDir: string): SourceFolder {
    const path = join(dataDir, CONTROL_FILE)
    if (!existsSync(path)) {
      const problem = existsSync(dataDir) ? 'contains no data to move' : 'does not exist'
      throw new AppError(
        'not_found',
        `The data folder ${dataDir} ${problem}. Give the data folder of the old server with --folder.`,
      )
    }
    const control = new Database(path, { readOnly: true })
    try {
      requireVersion(control, readMigrations(CONTROL_MIGRATIONS).length)
      requireNoTroubles(control)
      return new SourceFolder(dataDir, control)
    } catch (error) {
      control.close()
      throw error
    }
  }

  /** Undefined before the first start of a version that records it. */
  findSecretId(): string | undefined {
    return this.control.get<{ id: string }>('SELECT id FROM secret_generation ORDER BY number LIMIT 1')?.id
  }

  listDomains(): readonly LogDomain[] {
    return this.control.all<{ number: number; name: string }>('SELECT number, name FROM domain ORDER BY number')
  }

  /** Days with events, oldest first, without those that retention has removed. */
  listDays(): readonly Day[] {
    return this.#files
      .listAll()
      .filter((day) => !isFolded(this.control, day))
      .toReversed()
  }

  /** Undefined if retention has removed the day meanwhile. */
  openDay(day: Day): Database | undefined {
    let db: Database | undefined
    try {
      db = this.#files.openForReading(day, CACHE_KIB)
      requireVersion(db, DAY_SCHEMA_VERSION)
      return db
    } catch (error) {
      db?.close()
      if (this.#files.has(day)) throw error
      return undefined
    }
  }

  [Symbol.dispose](): void {
    this.control.close()
  }
}

function requireVersion(db: Database, expected: number): void {
  const found = db.number('PRAGMA user_version')
  if (found === expected) return
  const advice =
    found < expected
      ? 'Start the old server once with this version of Envelog, then run this command again.'
      : 'Run this command with the version of Envelog that wrote the folder.'
  throw new AppError(
    'conflict',
    `${db.path} has schema ${found}; this version of Envelog requires ${expected}. ${advice}`,
  )
}

function requireNoTroubles(control: Database): void {
  const [trouble] = new DayTroubles(control).list()
  if (!trouble) return
  throw new AppError(
    'conflict',
    `${trouble.day} is set aside and would be missing after the move: ${trouble.detail} Then run this command again.`,
  )
}
