/** Examines a copied database: its pages, and whether the counters of a day match its events. */

import { PROGRAM } from '../../../../lib/program-name.ts'
import { Database } from '../../database/database.ts'
import { isDamaged } from '../../database/storage-failure.ts'
import type { Day } from '../../days/day.ts'

/** A handful says enough. */
const FINDINGS_MAX = 5
const CACHE_KIB = 8192

export interface VerifiedDay {
  readonly events: number
  /** The last arrival number. */
  readonly arrival: number
  /** False if pages are damaged, or it is another day: the file cannot be relied on. */
  readonly isSound: boolean
  /** What is wrong, in a sentence. */
  readonly problem?: string
}

const UNSOUND = { events: 0, arrival: 0, isSound: false }

export function verifyDay(path: string, expected: DayIdentity): VerifiedDay {
  try {
    return examineDay(path, expected)
  } catch (error) {
    if (!isDamaged(error) && !isOtherSchema(error)) throw error
    return { ...UNSOUND, problem: (error as Error).message }
  }
}

/** SQLITE_ERROR: a table is missing, for example in an empty file. */
function isOtherSchema(error: unknown): boolean {
  return (error as { errcode?: unknown }).errcode === 1
}

/** As the file has it. */
export interface DayIdentity {
  readonly installation: string
  readonly day: Day
}

function examineDay(path: string, expected: DayIdentity): VerifiedDay {
  using db = new Database(path, { readOnly: true, isFrozen: true, cacheKib: CACHE_KIB })
  const findings = checkPages(db)
  if (findings.length > 0) return { ...UNSOUND, problem: findings.join('; ') }
  const { installation, day } = findIdentity(db) ?? expected
  if (installation !== expected.installation || day !== expected.day) {
    return { ...UNSOUND, problem: `it is the file of ${day}, installation ${installation}` }
  }
  const events = db.number('SELECT count(*) FROM event')
  const counted = db.number('SELECT ifnull(sum(count), 0) FROM counter')
  const verified = { events, arrival: db.number('SELECT arrival FROM day'), isSound: true }
  // Counts outlive the events of erased recipients, of which there is a table.
  const erased = hasTable(db, 'erased_per_hour') ? db.number('SELECT ifnull(sum(count), 0) FROM erased_per_hour') : 0
  if (counted === events + erased) return verified
  return { ...verified, problem: `it has ${events} events, and its counters say ${counted}: run ${PROGRAM} recount` }
}

/** Undefined in files of earlier versions. */
function findIdentity(db: Database): DayIdentity | undefined {
  if (!hasTable(db, 'identity')) return undefined
  return db.get<{ installation: string; day: Day }>('SELECT installation, day FROM identity')
}

function hasTable(db: Database, name: string): boolean {
  return db.number('SELECT count(*) FROM sqlite_schema WHERE name = ?', name) > 0
}

/** The first findings; empty if all pages are sound. Throws SQLite's error if it cannot be read at all. */
export function verifyDatabase(path: string): readonly string[] {
  using db = new Database(path, { readOnly: true, isFrozen: true, cacheKib: CACHE_KIB })
  return checkPages(db)
}

/** Table by table, so that a thread that is stopped ends soon. */
function checkPages(db: Database): readonly string[] {
  const findings: string[] = []
  const tables = db.allArrays<[string]>("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0")
  for (const [name] of tables) {
    const rows = db.allArrays<[string]>(`PRAGMA integrity_check("${name.replaceAll('"', '""')}")`)
    findings.push(...rows.map(([message]) => message).filter((message) => message !== 'ok'))
    if (findings.length >= FINDINGS_MAX) break
  }
  return findings.slice(0, FINDINGS_MAX)
}
