/** Rebuilds one day on a thread of its own: a large one takes minutes. */
import { parentPort, workerData } from 'node:worker_threads'
import type { ErrorCode } from '../../../lib/app-error.ts'
import { lowerPriority } from '../../../lib/lower-priority.ts'
import { removeFile } from '../../../lib/remove-file.ts'
import { openControlDatabase } from '../control/control-database.ts'
import type { Database } from '../database/database.ts'
import { isStorageFailure } from '../database/storage-failure.ts'
import type { Day } from '../days/day.ts'
import { openDataFolder } from '../manifest/check-days.ts'
import type { DayIdentity } from '../manifest/domain-claims.ts'
import { findConflict } from '../manifest/examine-day.ts'
import { type RebuiltDay, rebuildDay } from './rebuild-day.ts'

lowerPriority()

export interface RepairData {
  readonly dataDir: string
  readonly day: Day
  /** The file to be written. */
  readonly draft: string
}

/** `refusal`: sent as it is, because errors lose their class between threads. */
export type RepairReport =
  | { readonly percent: number }
  | { readonly rebuilt: RebuiltDay }
  | { readonly refusal: { readonly code: ErrorCode; readonly message: string } }

const { dataDir, day, draft } = workerData as RepairData

/** What is damaged and of another installation must not become ours by a repair. */
class ForeignDay extends Error {}

function report(message: RepairReport): void {
  parentPort?.postMessage(message)
}

{
  using control = openControlDatabase(dataDir)
  const { files, manifest } = openDataFolder(dataDir, control)
  const { installation } = manifest
  const requireOwn = (db: Database, found: readonly DayIdentity[]) => {
    const other = found.find((identity) => identity.installation !== installation.id || identity.day !== day)
    if (other) throw new ForeignDay(`it is the file of ${other.day} of the installation ${other.installation}`)
    const conflict = findConflict(db, installation)
    if (conflict !== undefined) throw new ForeignDay(`it ${conflict}`)
    // Those that were lost: what the numbers mean is known here.
    const claims = files.claimsOf(db)
    db.transaction(() => {
      for (const [number] of db.allArrays<[number]>('SELECT DISTINCT domain FROM counter')) claims?.note(number)
    })
  }
  for (const suffix of ['', '-wal', '-shm']) removeFile(draft + suffix)
  let percent = 0
  const onProgress = (read: number, all: number) => {
    const now = Math.floor((read / all) * 100)
    if (now > percent) report({ percent: now })
    percent = now
  }
  try {
    const create = () => files.createDraft(day, draft)
    const events = manifest.list().get(day)?.events ?? 0
    report({ rebuilt: rebuildDay(files.path(day), { create, events, requireOwn }, onProgress) })
  } catch (error) {
    for (const suffix of ['', '-wal', '-shm']) removeFile(draft + suffix)
    const code = error instanceof ForeignDay ? 'conflict' : isStorageFailure(error) ? 'storage_unavailable' : undefined
    if (!code || !(error instanceof Error)) throw error
    report({ refusal: { code, message: `${day} cannot be repaired: ${error.message}` } })
  }
}
