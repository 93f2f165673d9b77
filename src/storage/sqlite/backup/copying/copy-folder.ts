/**
 * Copies a data folder that is in use. The copy is consistent although its files are of different moments:
 *
 * 1. What is on its way into the days: the journal of opens and clicks, positions of `tail`, the quarantine. Whatever leaves
 *    these later is in a day by then.
 * 2. The days. One that has not changed since the last backup is shared with it.
 * 3. control.db, which then knows every domain that the copied events refer to, and every day that retention has removed.
 *    Records that have left the quarantine since step 1 are put back; replaying them stores nothing twice.
 *
 * See docs/decisions/0038.
 */
import { join } from 'node:path'
import type { Clock } from '../../../../lib/clock.ts'
import type { BackupProblem, BackupProgress } from '../../../storage.ts'
import { CONTROL_FILE } from '../../control/control-file.ts'
import { Database } from '../../database/database.ts'
import { DayFiles } from '../../days/day-files.ts'
import { DayTroubles } from '../../troubles/day-troubles.ts'
import type { CompleteBackup } from '../backup-folder.ts'
import type { BackupFile } from '../backup-manifest.ts'
import { copyControl, copyEarlierControl } from './copy-control.ts'
import { DayCopies } from './copy-days.ts'
import { copyTailPositions, copyTrackingJournal } from './copy-journals.ts'
import { CopyTarget, databaseBytes } from './copy-target.ts'
import { TargetRoom } from './target-room.ts'

export interface CopyTask {
  readonly dataDir: string
  /** The id of the installation. */
  readonly installation: string
  /** An empty folder. */
  readonly draft: string
  /** The last backup. */
  readonly base?: CompleteBackup | undefined
}

export interface CopiedFolder {
  readonly files: readonly BackupFile[]
  readonly copiedBytes: number
  readonly problems: readonly BackupProblem[]
}

/** Throws AppError `storage_unavailable` if the target cannot be written, or control.db cannot be read. */
export async function copyFolder(
  { dataDir, installation, draft, base }: CopyTask,
  clock: Clock,
  onProgress: (progress: BackupProgress) => void,
): Promise<CopiedFolder> {
  const target = new CopyTarget(draft, new TargetRoom(draft, dataDir), onProgress)
  using control = new Database(join(dataDir, CONTROL_FILE), { readOnly: true })
  const troubles = new DayTroubles(control)
  const files = new DayFiles(dataDir, troubles)
  const days = new DayCopies({ installation, files, troubles, base, clock }, target)
  target.expect(days.bytes + 2 * databaseBytes(control.path))
  copyTrackingJournal(dataDir, target)
  await copyTailPositions(dataDir, target)
  await copyEarlierControl(dataDir, target)
  await days.copy()
  await copyControl(dataDir, target, files, days.arrivals)
  return { files: target.files, copiedBytes: target.copiedBytes, problems: target.problems }
}
