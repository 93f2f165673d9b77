/** Reads a day that could not be read, from beginning to end. */
import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import { openControlDatabase } from '../control/control-database.ts'
import { isFileFailure } from '../database/storage-failure.ts'
import type { Day } from '../days/day.ts'
import { examineWhole, openDataFolder } from '../manifest/check-days.ts'
import { type Finding, provenDay } from '../manifest/examine-day.ts'
import { unreadableDay } from './troubled-day.ts'

export interface CheckData {
  readonly dataDir: string
  readonly day: Day
}

const CHUNK_BYTES = 2 ** 20

/** Sequentially, which costs little: as long as the disk fails, SQLite's check is not worth its processor time. */
function readThrough(path: string): void {
  if (!existsSync(path)) return
  const chunk = Buffer.alloc(CHUNK_BYTES)
  const file = openSync(path, 'r')
  try {
    while (readSync(file, chunk) !== 0);
  } finally {
    closeSync(file)
  }
}

/** Undefined if the day has no file any more. `read`: throws if the disk does not return all of a file. */
export function checkAgain(
  { dataDir, day }: CheckData,
  read: (path: string) => void = readThrough,
): Finding | undefined {
  using control = openControlDatabase(dataDir)
  const folder = openDataFolder(dataDir, control)
  const path = folder.files.path(day)
  // SQLite would create it.
  if (!existsSync(path)) return undefined
  const readAll = (): Finding => {
    try {
      for (const file of [path, `${path}-wal`]) read(file)
    } catch (error) {
      if (!isFileFailure(error)) throw error
      return { day, verdict: 'unreadable', detail: unreadableDay(day, error).detail, highestNumber: 0 }
    }
    return examineWhole(folder, day)
  }
  const first = readAll()
  if (!isSuspect(first)) return first
  // All of it can be read: SQLite has now said twice that it is damaged.
  const second = readAll()
  return isSuspect(second) ? provenDay(day, 'SQLite cannot read it, although the disk returns all of it') : second
}

function isSuspect(finding: Finding): boolean {
  return 'isSuspect' in finding && finding.isSuspect === true
}
