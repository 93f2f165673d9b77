/** Whether a database has commits that are not in the file itself yet. */
import { statSync } from 'node:fs'

/** Readers leave an empty one. */
export function hasWal(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
}
