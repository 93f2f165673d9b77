/** Recognizes a database that has not changed since the last backup, without opening it. */
import { statSync } from 'node:fs'
import { hasWal } from '../../database/has-wal.ts'

/** A file that was written more recently could change again without a new time: the clock of a file system has coarse steps. */
const SETTLED_MS = 2000

/**
 * Equal texts mean equal content: size, inode, times of the last write and of the last change of attributes. Undefined while
 * the content may be partly in the WAL, where every change begins, and for a file that was just written. SQLite's own change
 * counter is not enough: in WAL mode it does not count every transaction.
 */
export function fileStateOf(path: string, nowMs: number): string | undefined {
  const { size, ino, mtimeNs, ctimeNs, mtimeMs } = statSync(path, { bigint: true })
  if (hasWal(path) || nowMs - Number(mtimeMs) < SETTLED_MS) return undefined
  return [size, ino, mtimeNs, ctimeNs].join(' ')
}
