/** Recognizes the file that was summarized: another size or time of change, and it may have other content. */
import { statSync } from 'node:fs'
import { hasWal } from '../database/has-wal.ts'

export interface DayState {
  readonly bytes: number
  readonly modifiedMs: number
}

/** Undefined if there is no such file, or if commits are not in the file itself yet. */
export function readDayState(path: string): DayState | undefined {
  const file = statSync(path, { throwIfNoEntry: false })
  return file && !hasWal(path) ? { bytes: file.size, modifiedMs: file.mtimeMs } : undefined
}
