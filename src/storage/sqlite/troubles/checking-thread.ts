/** Reads a day that could not be read, from beginning to end, on a thread of its own: a large one takes seconds. */
import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { lowerPriority } from '../../../lib/lower-priority.ts'
import { openControlDatabase } from '../control/control-database.ts'
import { isFileFailure } from '../database/storage-failure.ts'
import type { Day } from '../days/day.ts'
import { examineWhole, openDataFolder } from '../manifest/check-days.ts'
import { type Finding, provenDay } from '../manifest/examine-day.ts'
import { unreadableDay } from './troubled-day.ts'

lowerPriority(10)

export interface CheckData {
  readonly dataDir: string
  readonly day: Day
}

/** Undefined: it has no file any more. */
export interface CheckReport {
  readonly finding: Finding | undefined
}

const CHUNK_BYTES = 2 ** 20

/** Sequentially, which costs little: as long as the disk fails, SQLite's check is not worth its processor time. */
function readThrough(path: string): void {
  if (!existsSync(path)) return
  const chunk = Buffer.alloc(CHUNK_BYTES)
  const file = openSync(path, 'r')
  try {
    for (let at = 0, read = -1; read !== 0; at += read) read = readSync(file, chunk, 0, chunk.length, at)
  } finally {
    closeSync(file)
  }
}

function check({ dataDir, day }: CheckData): Finding | undefined {
  using control = openControlDatabase(dataDir)
  const folder = openDataFolder(dataDir, control)
  const path = folder.files.path(day)
  // SQLite would create it.
  if (!existsSync(path)) return undefined
  const readAll = (): Finding => {
    try {
      for (const suffix of ['', '-wal']) readThrough(path + suffix)
    } catch (error) {
      if (!isFileFailure(error)) throw error
      return { day, verdict: 'unreadable', detail: unreadableDay(day, error).detail, highestNumber: 0 }
    }
    return examineWhole(folder, day)
  }
  const first = readAll()
  if (!('isSuspect' in first) || !first.isSuspect) return first
  // All of it can be read: SQLite has now said twice that it is damaged.
  const second = readAll()
  const isDamaged = 'isSuspect' in second && second.isSuspect
  return isDamaged ? provenDay(day, 'SQLite cannot read it, although the disk returns all of it') : second
}

const report: CheckReport = { finding: check(workerData as CheckData) }
parentPort?.postMessage(report)
