/**
 * Checks the disk space for the commits of several days before the first of them. SQLite keeps what a transaction writes in its
 * cache until the commit, so that a disk which fills up would be noticed between two days: one stored, the other not.
 */
import { statfsSync } from 'node:fs'
import { storageUnavailable } from '../database/storage-failure.ts'

/** A transaction that is ready to be committed. */
export interface PendingCommit {
  /** Stored by it. */
  readonly rows: number
  /** In the file, with those that it added. */
  readonly pages: number
  /** Pages that do not fit into the cache are in the WAL already. */
  readonly cachePages: number
}

/** A page of 4096 bytes in the WAL, with its header. */
const FRAME_BYTES = 4120
/** Measured on days of up to 250,000 events, when texts took more to index: 27 pages for one row, 473 for 20, 3553 for 500, 13,496 for 5000. */
const PAGES_PER_COMMIT = 512
const PAGES_PER_ROW = 12

/** Throws AppError `storage_unavailable`. */
export function requireCommitRoom(folder: string, commits: readonly PendingCommit[]): void {
  const { bavail, bsize } = statfsSync(folder)
  const free = bavail * bsize
  const needed = commits.reduce((sum, commit) => sum + pagesToWriteMax(commit) * FRAME_BYTES, 0)
  if (free >= needed) return
  throw storageUnavailable(
    new Error(`${free} bytes are free on the disk; up to ${needed} are needed for a commit of ${commits.length} days`),
  )
}

/** A commit writes each page once at the most. */
function pagesToWriteMax({ rows, pages, cachePages }: PendingCommit): number {
  return Math.min(pages, PAGES_PER_COMMIT + PAGES_PER_ROW * rows, PAGES_PER_COMMIT + cachePages)
}
