/** Opens one day's file and decides whether it is the day that control.db knows; brings an older schema up to date. */

import { PROGRAM } from '../../../lib/program-name.ts'
import type { TroubleKind } from '../../storage.ts'
import { Database } from '../database/database.ts'
import { isDamaged, isFileFailure, isSuspicion, provenDamage } from '../database/storage-failure.ts'
import { findDamage } from '../days/check-day.ts'
import type { Day } from '../days/day.ts'
import { DAY_SCHEMA_VERSION, type DayFiles, upgradeDay } from '../days/day-files.ts'
import { hasLostCommits, readWal } from '../repair/wal-frames.ts'
import { unreadableAdvice } from '../troubles/troubled-day.ts'
import { readFileState } from './day-manifest.ts'
import { findIdentity, listClaims } from './domain-claims.ts'
import type { Installation } from './installation.ts'

/** The schema from which on a file says what it is. */
export const IDENTITY_VERSION = 3
const SQLITE_ERROR = 1

interface Examined {
  readonly day: Day
  /** Of the numbers that its events refer to; 0 if they could not be read. */
  readonly highestNumber: number
}

/** A file to be used. */
export interface OwnDay extends Examined {
  readonly verdict: 'own'
  readonly events: number
}

/** Of an earlier version, whose files did not say what they are. */
export interface UnidentifiedDay extends Examined {
  readonly verdict: 'unidentified'
  readonly events: number
}

export interface TroubledDay extends Examined {
  readonly verdict: TroubleKind
  readonly detail: string
  /** The installation that the file is of, if it is another one. */
  readonly installation?: string
  /** It looks damaged, unless it could not be read. */
  readonly isSuspect?: boolean
}

export type Finding = OwnDay | UnidentifiedDay | TroubledDay

export interface Expected {
  readonly installation: Installation
  /** It had at least this many. */
  readonly events: number
  /** It was damaged when it was last seen: what is there now has to be read from beginning to end. */
  readonly wasDamaged: boolean
}

const RESTORE = 'Restore it from a backup and restart the server'

export function examineDay(files: DayFiles, day: Day, expected: Expected): Finding {
  const path = files.path(day)
  const name = `events/${day}.db`
  const trouble = (verdict: TroubleKind, words: string): TroubledDay => ({
    day,
    verdict,
    detail: `${name} ${words}`,
    highestNumber: 0,
  })
  try {
    // SQLite takes an empty file for a new database.
    if (readFileState(path, 0)?.bytes === 0) return trouble('emptied', `is empty. ${emptiedAdvice(day)}`)
    // SQLite would silently drop the commits after the damage.
    if (hasLostCommits(readWal(`${path}-wal`))) {
      const words = `is damaged: its WAL has damaged commits. ${RESTORE}, or save what can be read: ${PROGRAM} repair ${day}`
      return trouble('damaged', words)
    }
    // Not read-only: closing it then moves what a crash has left in the WAL into the file. As it is: it may not be ours.
    using db = new Database(path, { journal: 'delete' })
    return examine(db, day, expected)
  } catch (error) {
    const { errcode, message } = error as { errcode?: number; message: string }
    const code = (errcode ?? 0) & 0xff
    if (code === SQLITE_ERROR) return trouble('foreign', `is not a day of Envelog. ${RESTORE}, or move it away.`)
    const isSuspect = isSuspicion(error)
    if (isFileFailure(error) || isSuspect) {
      return { ...trouble('unreadable', `cannot be read: ${message}. ${unreadableAdvice(day)}`), isSuspect }
    }
    if (!isDamaged(error)) throw error
    return provenDay(day, message)
  }
}

export function provenDay(day: Day, problem: string): TroubledDay {
  const advice = `${RESTORE}, or save what can be read: ${PROGRAM} repair ${day}`
  return { day, verdict: 'damaged', detail: `events/${day}.db is damaged: ${problem}. ${advice}`, highestNumber: 0 }
}

function examine(db: Database, day: Day, { installation, events: eventsBefore, wasDamaged }: Expected): Finding {
  const name = `events/${day}.db`
  const version = db.number('PRAGMA user_version')
  if (version > DAY_SCHEMA_VERSION) {
    const words = `was written by a newer version of Envelog (schema ${version}, this version knows ${DAY_SCHEMA_VERSION}). Start that version or a later one.`
    return { day, verdict: 'newer', detail: `${name} ${words}`, highestNumber: 0 }
  }
  if (wasDamaged) requireIntact(db)
  const identity = version < IDENTITY_VERSION ? undefined : findIdentity(db)
  const events = db.number('SELECT arrival FROM day')
  if (!identity) {
    return { day, verdict: 'unidentified', events, highestNumber: db.number('SELECT max(domain) FROM counter') }
  }
  const foreign = (words: string) => ({
    day,
    verdict: 'foreign' as const,
    detail: `${name} ${words}`,
    highestNumber: 0,
  })
  if (identity.installation !== installation.id) {
    const words = `is of another installation. ${RESTORE}, or move it away.`
    return { ...foreign(words), installation: identity.installation }
  }
  if (identity.day !== day) return foreign(`is the file of ${identity.day}. ${RESTORE}, or move it away.`)
  if (version < DAY_SCHEMA_VERSION) upgradeDay(db)
  const conflict = findConflict(db, installation)
  if (conflict) return foreign(`${conflict}. ${RESTORE}, or move it away.`)
  const highestNumber = db.number('SELECT max(number) FROM domain_claim')
  if (events < eventsBefore) {
    const words = `is older than it was: ${events} events have been stored in it, but there were at least ${eventsBefore}, including those removed or lost since.`
    const detail = `${name} ${words} ${emptiedAdvice(day)}`
    return { day, verdict: 'emptied', detail, highestNumber }
  }
  return { day, verdict: 'own', events, highestNumber }
}

/** A number that control.db does not know any more is of a removed domain: it is never handed out again. */
export function findConflict(db: Database, installation: Installation): string | undefined {
  for (const { number, id, name } of listClaims(db)) {
    const known = installation.findDomain(number)
    if (known && known.id !== id) {
      return `says that domain ${number} is ${name || 'a removed one'}, and control.db says that it is ${known.name}`
    }
  }
  return undefined
}

function emptiedAdvice(day: Day): string {
  return `${RESTORE}, or continue with what is there: ${PROGRAM} days accept ${day}`
}

function requireIntact(db: Database): void {
  const damage = findDamage(db)
  if (damage !== undefined) throw provenDamage(damage)
}
