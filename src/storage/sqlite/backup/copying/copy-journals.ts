/** Copies what is on its way into the days: the journal of opens and clicks, and the positions of `tail`. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { UnreadableError } from './copy-database.ts'
import type { CopyTarget } from './copy-target.ts'

const TRACKING = 'tracking'
const TAIL = 'tail'
const SEGMENT = /^\d+\.(open|settled)$/
/** Without the files that SQLite and the lock keep beside it. */
const CHECKPOINT = /^\w[\w-]*(?<!-wal|-shm|-journal)$/

/**
 * A segment that is settled meanwhile has another name: the folder is listed until no copy fails. One that is there under
 * both names is resolved by the next start, as after a crash.
 */
export function copyTrackingJournal(dataDir: string, target: CopyTarget): void {
  const folder = join(dataDir, TRACKING)
  const done = new Set<string>()
  for (let isComplete = false; !isComplete; ) {
    isComplete = true
    for (const name of listNames(folder, SEGMENT)) {
      if (done.has(name)) continue
      try {
        target.copyFile(join(folder, name), `${TRACKING}/${name}`)
        done.add(name)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || existsSync(join(folder, name))) throw error
        isComplete = false
      }
    }
  }
}

/** A position may be behind the events that are stored, never ahead of them: then `tail` would skip some. */
export async function copyTailPositions(dataDir: string, target: CopyTarget): Promise<void> {
  const folder = join(dataDir, TAIL)
  for (const name of listNames(folder, CHECKPOINT)) {
    const path = `${TAIL}/${name}`
    try {
      await target.copyDatabase(join(folder, name), path)
      target.add(path)
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error
      // Damaged, or written by an earlier version as lines of JSON.
      target.remove(path)
      target.copyFile(join(folder, name), path)
    }
  }
}

function listNames(folder: string, pattern: RegExp): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => pattern.test(name)) : []
}
