/**
 * Compares the event files with control.db: at the start, and when asked to. Days that do not fit are set aside. Only files that have
 * changed since they were last checked are opened, so that the start does not take longer with every day of history.
 */
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../../lib/app-error.ts'
import { PROGRAM } from '../../../lib/program-name.ts'
import type { DayTrouble } from '../../storage.ts'
import { CONTROL_FILE } from '../control/control-file.ts'
import { Database } from '../database/database.ts'
import { hasWal } from '../database/has-wal.ts'
import type { Day } from '../days/day.ts'
import { DAY_SCHEMA_VERSION, DayFiles, missingDay, upgradeDay } from '../days/day-files.ts'
import { DayTroubles } from '../troubles/day-troubles.ts'
import { DayManifest, isSameFile, type KnownDay, readFileState } from './day-manifest.ts'
import { writeIdentity } from './domain-claims.ts'
import { examineDay, type Finding, type OwnDay, type TroubledDay } from './examine-day.ts'

const CACHE_KIB = 512

/** An opened data folder. */
export interface DataFolder {
  readonly control: Database
  readonly files: DayFiles
  readonly manifest: DayManifest
  readonly troubles: DayTroubles
}

/** For the thread that writes, or that opens the folder. */
export function openDataFolder(dataDir: string, control: Database): DataFolder {
  const manifest = new DayManifest(control)
  const troubles = new DayTroubles(control)
  return { control, manifest, troubles, files: new DayFiles(dataDir, troubles, manifest) }
}

/** Before control.db is created: with days and without it, domain numbers would begin again and mean other domains. */
export function requireControlFile(dataDir: string, files: DayFiles): void {
  const [newest] = files.listAll()
  if (newest === undefined) return
  const control = statSync(join(dataDir, CONTROL_FILE), { throwIfNoEntry: false })
  if (control && control.size > 0) return
  throw new AppError(
    'conflict',
    `${join(dataDir, CONTROL_FILE)} is ${control ? 'empty' : 'missing'}, but there are events (up to ${newest}). Restore it from a backup of this installation; to begin anew instead, move the folder ${files.folder} away.`,
  )
}

/** Throws AppError `conflict` if control.db does not fit the events. Nothing has changed then. Returns what is worth a line in the log. */
export function checkAtStart(folder: DataFolder, nowMs: number): readonly string[] {
  const { manifest } = folder
  const findings = findChanged(folder)
  requireFit(folder, findings)
  const known = manifest.list()
  // A day without events was created just before a crash.
  const extra = findings.filter((one) => one.verdict === 'own' && one.events > 0 && !known.has(one.day))
  record(folder, findings, nowMs)
  manifest.installation.complete()
  return extra
    .filter(({ day }) => !manifest.isFolded(day))
    .map(
      ({ day }) =>
        `events/${day}.db was not in the list of days of control.db. It is of this installation, and is used.`,
    )
}

/** The same while the server runs: what does not fit is set aside. */
export function checkDays(folder: DataFolder, nowMs: number): void {
  folder.manifest.flush()
  record(folder, findChanged(folder), nowMs)
}

/** Reads a day that is set aside from beginning to end. Nothing is noted. */
export function examineWhole(folder: DataFolder, day: Day): Finding {
  const before = folder.manifest.list().get(day)
  return examineDay(folder.files, day, {
    installation: folder.manifest.installation,
    events: before?.events ?? 0,
    wasDamaged: true,
  })
}

/** Notes what another thread has found. */
export function recordFinding(folder: DataFolder, finding: Finding, nowMs: number): void {
  record(folder, [finding], nowMs)
}

/**
 * Continues with a day that was set aside: without it if it is missing, with what is there if it was emptied, and with one of an
 * earlier version, which does not say whose it is, on the operator's word. Throws AppError `not_found` or `conflict`.
 */
export function acceptDay(folder: DataFolder, day: Day, nowMs: number): void {
  const { control, files, manifest, troubles } = folder
  if (!troubles.find(day)) throw new AppError('not_found', `${day} is not set aside.`)
  checkDays(folder, nowMs)
  const trouble = troubles.find(day)
  if (!trouble) return
  const finding = existsSync(files.path(day)) ? examine(folder, day, undefined) : undefined
  if (finding?.verdict === 'unidentified') {
    adopt(folder, day)
    checkDays(folder, nowMs)
    return
  }
  if (!['missing', 'emptied'].includes(trouble.kind)) {
    throw new AppError('conflict', `${day} cannot be accepted as it is: ${trouble.detail}`)
  }
  control.transaction(() => {
    if (finding?.verdict === 'own') save(folder, finding)
    else manifest.remove(day)
    troubles.clear(day)
  })
  // Nothing is in it; what is beside it belongs to a file that is gone.
  if (finding?.verdict !== 'own') files.remove(day)
}

/** Continues with a day whose file was repaired, and has as many events as it has. */
export function takeBackDay(folder: DataFolder, day: Day): void {
  const { control, files, troubles } = folder
  const events = countEvents(files, day)
  control.transaction(() => {
    save(folder, { day, events })
    troubles.clear(day)
  })
}

function countEvents(files: DayFiles, day: Day): number {
  using db = files.openForReading(day, CACHE_KIB)
  return db.number('SELECT arrival FROM day')
}

function findChanged(folder: DataFolder): readonly Finding[] {
  const { files, manifest, troubles } = folder
  const known = manifest.list()
  const noted = new Map(troubles.list().map((trouble) => [trouble.day, trouble]))
  return files.listAll().flatMap((day) => {
    const before = known.get(day)
    const trouble = noted.get(day)
    const isUnchanged = before !== undefined && isAsBefore(files.path(day), before)
    // Left to the thread that reads it from beginning to end, see day-recovery.ts.
    if (trouble?.kind === 'unreadable') return []
    return isUnchanged && (!trouble || trouble.kind === 'damaged') ? [] : [examine(folder, day, before, trouble)]
  })
}

function examine({ files, manifest }: DataFolder, day: Day, before?: KnownDay, trouble?: DayTrouble): Finding {
  const { installation } = manifest
  return examineDay(files, day, {
    installation,
    events: before?.events ?? 0,
    wasDamaged: trouble?.kind === 'damaged',
  })
}

function isAsBefore(path: string, before: KnownDay): boolean {
  const state = readFileState(path, DAY_SCHEMA_VERSION)
  return state !== undefined && isSameFile(state, before) && !hasWal(path)
}

function requireFit({ files, manifest }: DataFolder, findings: readonly Finding[]): void {
  const { installation } = manifest
  const ahead = findings.find(
    ({ verdict, highestNumber }) =>
      highestNumber > installation.highestNumber && (verdict !== 'unidentified' || !installation.isComplete),
  )
  if (ahead) {
    throw new AppError(
      'conflict',
      `control.db is older than the events: events/${ahead.day}.db refers to domain ${ahead.highestNumber}, and control.db knows none above ${installation.highestNumber}. Restore the newest backup of control.db; to continue with this one, without showing events of domains that it does not know: ${PROGRAM} days adopt`,
    )
  }
  const isOwn = (verdict: Finding['verdict']) => !['foreign', 'newer'].includes(verdict)
  const unchanged = files.listAll().length - findings.length
  const own = unchanged + findings.filter(({ verdict }) => isOwn(verdict)).length
  const stranger = findings.find((finding) => 'installation' in finding)
  if (stranger && (own === 0 || !installation.isComplete)) {
    throw new AppError(
      'conflict',
      `control.db and events/${stranger.day}.db are of different installations. Restore the control.db that belongs to the events, or set ENVELOG_DATA_DIR to another folder; if this control.db is an old backup of the same installation: ${PROGRAM} days adopt`,
    )
  }
  const newer = findings.find((finding): finding is TroubledDay => finding.verdict === 'newer')
  if (newer && own === 0) throw new AppError('conflict', newer.detail)
}

/** Everything that was found, in one transaction of control.db. */
function record(folder: DataFolder, findings: readonly Finding[], nowMs: number): void {
  const { control, files, manifest, troubles } = folder
  const { isComplete } = manifest.installation
  const judged = findings.map((finding) => judge(finding, folder, isComplete))
  const known = manifest.list()
  const present = new Set(files.listAll())
  const missing = [...known.values()].filter(({ day }) => !present.has(day))
  const obsolete = troubles.list().filter(({ day }) => !present.has(day) && !known.has(day))
  if ([judged, missing, obsolete].every((list) => list.length === 0)) return
  control.transaction(() => {
    for (const finding of judged) {
      if (finding.verdict === 'own') {
        save(folder, finding)
        troubles.clear(finding.day)
      } else {
        const { day, verdict, detail } = finding
        troubles.note({ day, kind: verdict, sinceMs: nowMs, detail })
        // Unless the file changes, there is no need to read it again.
        const before = verdict === 'damaged' ? known.get(day) : undefined
        if (before) save(folder, before)
      }
    }
    for (const { day, events } of missing) troubles.note(missingDay(day, nowMs, events))
    for (const { day } of obsolete) troubles.clear(day)
  })
}

/** Days of an earlier version are taken over once, when the data folder is first opened by this one. */
function judge(finding: Finding, folder: DataFolder, isComplete: boolean): OwnDay | TroubledDay {
  const { day, highestNumber } = finding
  if (finding.verdict === 'unidentified' && !isComplete) {
    adopt(folder, day)
    return { ...finding, verdict: 'own' }
  }
  if (finding.verdict === 'unidentified') {
    const detail = `events/${day}.db was written by an earlier version and does not say which installation it is of. If it is from a backup of this one: ${PROGRAM} days accept ${day}. Otherwise move it away.`
    return { day, verdict: 'foreign', detail, highestNumber }
  }
  if (finding.verdict === 'own' && highestNumber > folder.manifest.installation.highestNumber) {
    const detail = `events/${day}.db refers to domain ${highestNumber}, which control.db does not know. Restore it from a backup and restart the server, or move it away.`
    return { day, verdict: 'foreign', detail, highestNumber }
  }
  return finding
}

function adopt({ files, manifest }: DataFolder, day: Day): void {
  using db = new Database(files.path(day))
  upgradeDay(db)
  writeIdentity(db, day, manifest.installation)
}

function save({ files, manifest }: DataFolder, { day, events }: Pick<KnownDay, 'day' | 'events'>): void {
  const state = readFileState(files.path(day), DAY_SCHEMA_VERSION)
  // Retention has counted a folded day already, and deletes the file with its next run.
  if (state && !manifest.isFolded(day)) manifest.set({ day, events, ...state })
}
