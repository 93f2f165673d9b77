/** Recognizes the file that was summarized: another size or time of change, and it may have other content. */
import { statSync } from 'node:fs'

export interface DayState {
  readonly bytes: number
  readonly modifiedMs: number
}

/** Undefined if there is no such file, or if commits are not in the file itself yet. */
export function readDayState(path: string): DayState | undefined {
  const file = statSync(path, { throwIfNoEntry: false })
  const wal = statSync(`${path}-wal`, { throwIfNoEntry: false })
  return file && !wal?.size ? { bytes: file.size, modifiedMs: file.mtimeMs } : undefined
}
