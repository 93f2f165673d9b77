/**
 * Continues with a control.db that is older than the events. Safe in every case: a number that the events know never comes to mean
 * another domain, and events of domains that control.db does not know are not shown.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../../lib/app-error.ts'
import { openControlDatabase } from '../control/control-database.ts'
import { lockDataFolder } from '../database/data-folder-lock.ts'
import { Database } from '../database/database.ts'
import { isStorageFailure } from '../database/storage-failure.ts'
import type { Day } from '../days/day.ts'
import { DayFiles } from '../days/day-files.ts'
import { requireControlFile } from './check-days.ts'
import { findIdentity } from './domain-claims.ts'
import { findConflict, IDENTITY_VERSION } from './examine-day.ts'
import { Installation } from './installation.ts'

export interface Adoption {
  readonly days: number
  /** New domains get higher numbers than this. */
  readonly highestNumber: number
}

interface Read {
  readonly day: Day
  readonly installation?: string
  readonly highestNumber: number
}

/** Throws AppError `conflict` while a server runs, and if control.db means other domains than the events. Nothing has changed then. */
export function adoptEvents(dataDir: string): Adoption {
  if (!existsSync(join(dataDir, 'events'))) {
    throw new AppError('not_found', `The data folder ${dataDir} contains no events.`)
  }
  const files = new DayFiles(dataDir)
  requireControlFile(dataDir, files)
  const lock = lockDataFolder(dataDir)
  try {
    using control = openControlDatabase(dataDir)
    const installation = new Installation(control)
    const read = files.listAll().flatMap((day) => readDay(files, day, installation))
    const ids = new Set(read.flatMap(({ installation: id }) => id ?? []))
    if (ids.size > 1) {
      throw new AppError(
        'conflict',
        `${files.folder} has days of ${ids.size} installations. Move those away that are not of this one.`,
      )
    }
    control.transaction(() => {
      for (const id of ids) installation.become(id)
      for (const { highestNumber } of read) installation.reserve(highestNumber)
    })
    return { days: read.length, highestNumber: installation.highestNumber }
  } finally {
    lock.release()
  }
}

/** Nothing for a day that cannot be read: the next start sets it aside. */
function readDay(files: DayFiles, day: Day, installation: Installation): readonly Read[] {
  try {
    using db = new Database(files.path(day), { readOnly: true })
    if (db.number('PRAGMA user_version') < IDENTITY_VERSION) {
      return [{ day, highestNumber: db.number('SELECT max(domain) FROM counter') }]
    }
    const conflict = findConflict(db, installation)
    if (conflict) {
      throw new AppError(
        'conflict',
        `control.db is not of this installation: events/${day}.db ${conflict}. Nothing was changed.`,
      )
    }
    const id = findIdentity(db)?.installation
    return [
      {
        day,
        ...(id !== undefined && { installation: id }),
        highestNumber: db.number('SELECT max(number) FROM domain_claim'),
      },
    ]
  } catch (error) {
    if (error instanceof AppError || !(isStorageFailure(error) || isNotADay(error))) throw error
    return []
  }
}

/** A database with other tables. */
function isNotADay(error: unknown): boolean {
  return (error as { errcode?: number }).errcode === 1
}
