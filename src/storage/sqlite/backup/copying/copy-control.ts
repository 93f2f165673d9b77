/** Copies control.db after the days, and makes the copy fit them. */
import { join } from 'node:path'
import { AppError } from '../../../../lib/app-error.ts'
import { CONTROL_FILE } from '../../control/control-file.ts'
import { Database } from '../../database/database.ts'
import type { Day } from '../../days/day.ts'
import type { DayFiles } from '../../days/day-files.ts'
import { UnreadableError } from './copy-database.ts'
import { dayPath } from './copy-days.ts'
import type { CopyTarget } from './copy-target.ts'
import { verifyDatabase } from './verify-copy.ts'

/** control.db when the backup began; not part of the backup. */
const EARLIER = 'control.earlier.db'

/** Neither the same record nor one with the same content that was rejected again. */
const ADD_TO_QUARANTINE = `
  INSERT INTO quarantine SELECT * FROM earlier.quarantine AS record
  WHERE NOT EXISTS (SELECT 1 FROM main.quarantine WHERE id = record.id)
    AND NOT EXISTS (SELECT 1 FROM main.quarantine WHERE fingerprint = record.fingerprint)`

const LIST_DAYS = 'SELECT day FROM day_file WHERE day NOT IN (SELECT day FROM folded_day)'

/** Of the copy, which is another file: it is examined when it is first opened. */
const UPDATE_DAY = 'UPDATE day_file SET events = ?, bytes = 0, modified_ms = 0, inode = 0 WHERE day = ?'

/** To be called before the days are copied. */
export function copyEarlierControl(dataDir: string, target: CopyTarget): Promise<void> {
  return copy(dataDir, target, EARLIER)
}

/** To be called after the days were copied, with the last arrival number of each. */
export async function copyControl(
  dataDir: string,
  target: CopyTarget,
  files: DayFiles,
  arrivals: ReadonlyMap<Day, number>,
): Promise<void> {
  await copy(dataDir, target, CONTROL_FILE)
  const path = target.path(CONTROL_FILE)
  const findings = verifyDatabase(path)
  if (findings.length > 0) throw damaged(dataDir, findings.join('; '))
  {
    using db = new Database(path)
    restoreQuarantine(db, target.path(EARLIER))
    removeFolded(db, target)
    adjustDays(db, target, files, arrivals)
  }
  target.discard(EARLIER)
  target.add(CONTROL_FILE)
}

async function copy(dataDir: string, target: CopyTarget, path: string): Promise<void> {
  try {
    await target.copyDatabase(join(dataDir, CONTROL_FILE), path)
  } catch (error) {
    throw error instanceof UnreadableError ? damaged(dataDir, error.message) : error
  }
}

/** Records that were replayed meanwhile may be in days that had been copied before. Replaying them again stores nothing twice. */
function restoreQuarantine(db: Database, earlier: string): void {
  db.run('ATTACH ? AS earlier', earlier)
  db.transaction(() => db.run(ADD_TO_QUARANTINE))
  db.execute('DETACH earlier')
}

/** Days that retention has removed since they were copied: their counts are in the totals. */
function removeFolded(db: Database, target: CopyTarget): void {
  for (const [day] of db.allArrays<[Day]>('SELECT day FROM folded_day')) target.remove(dayPath(day))
}

/** The list of days is of a later moment than the days. */
function adjustDays(db: Database, target: CopyTarget, files: DayFiles, arrivals: ReadonlyMap<Day, number>): void {
  const known = new Set(target.problems.map(({ day }) => day))
  const there = new Set(files.listAll())
  db.transaction(() => {
    for (const [day] of db.allArrays<[Day]>(LIST_DAYS)) {
      const arrival = arrivals.get(day)
      if (arrival !== undefined) db.run(UPDATE_DAY, arrival, day)
      else if (known.has(day)) continue
      // Created after the backup began.
      else if (there.has(day)) db.run('DELETE FROM day_file WHERE day = ?', day)
      else target.problems.push({ day, problem: `${dayPath(day)} is missing from the data folder` })
    }
  })
}

function damaged(dataDir: string, reason: string): AppError {
  return new AppError('storage_unavailable', `${join(dataDir, CONTROL_FILE)} cannot be copied: ${reason}`)
}
