/** The backup that is being written: its files so far, the problems found, and the progress. */
import { linkSync, mkdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { removeFile } from '../../../../lib/remove-file.ts'
import type { BackupProblem, BackupProgress } from '../../../storage.ts'
import type { BackupFile, FileDetails } from '../backup-manifest.ts'
import { copyHashed, type Hashed, hashFile } from '../hashed-copy.ts'
import { copyDatabase } from './copy-database.ts'
import type { TargetRoom } from './target-room.ts'

/** Interval of the progress within a file. */
const REPORT_EVERY_MS = 200

export class CopyTarget {
  readonly folder: string
  readonly problems: BackupProblem[] = []
  readonly #files = new Map<string, BackupFile>()
  readonly #room: TargetRoom
  readonly #onProgress: (progress: BackupProgress) => void
  #bytes = 0
  #bytesTotal = 0
  #discardedBytes = 0
  #reportedAtMs = 0

  constructor(folder: string, room: TargetRoom, onProgress: (progress: BackupProgress) => void) {
    this.folder = folder
    this.#room = room
    this.#onProgress = onProgress
  }

  get files(): readonly BackupFile[] {
    return [...this.#files.values()]
  }

  /** Without what is shared with an earlier backup. */
  get copiedBytes(): number {
    return this.#bytes - this.#discardedBytes
  }

  /** Removes a copy that was needed only to make another one. */
  discard(path: string): void {
    this.#discardedBytes += statSync(this.path(path)).size
    for (const suffix of ['', '-wal', '-shm']) removeFile(this.path(path) + suffix)
  }

  /** Throws AppError `storage_unavailable` if there is no room for this much. */
  expect(bytes: number): void {
    this.#bytesTotal += bytes
    this.#room.require(bytes)
  }

  path(path: string): string {
    return join(this.folder, path)
  }

  /** A copy of a database as it is now; `add` must follow. Throws UnreadableError. */
  async copyDatabase(from: string, path: string): Promise<void> {
    await copyDatabase(
      from,
      this.#prepare(path),
      (bytes) => this.#advance(path, bytes),
      () => this.#room.require(0),
    )
  }

  /** A copy of a file that is not a database, or is not readable as one. */
  copyFile(from: string, path: string): void {
    this.#register(
      path,
      copyHashed(from, this.#prepare(path), (bytes) => this.#advance(path, bytes)),
    )
  }

  /** Makes a written file part of the backup. */
  add(path: string, details: FileDetails = {}): void {
    this.#register(path, hashFile(this.path(path)), details)
  }

  /** Shares a file with an earlier backup. False if that is not possible, or the file is not as it was written. */
  share(earlier: string, file: BackupFile): boolean {
    const from = join(earlier, file.path)
    const found = statSync(from, { bigint: true, throwIfNoEntry: false })
    if (found?.size !== BigInt(file.bytes) || found.mtimeNs.toString() !== file.modified) return false
    try {
      linkSync(from, this.#prepare(file.path))
    } catch {
      // Not every file system has hard links, and the number of links is limited.
      return false
    }
    this.#files.set(file.path, file)
    this.#report(file.path, true)
    return true
  }

  /** Nothing happens if there is no such file. */
  remove(path: string): void {
    this.#files.delete(path)
    removeFile(this.path(path))
  }

  #prepare(path: string): string {
    mkdirSync(dirname(this.path(path)), { recursive: true, mode: 0o700 })
    return this.path(path)
  }

  #register(path: string, hashed: Hashed, details: FileDetails = {}): void {
    const modified = statSync(this.path(path), { bigint: true }).mtimeNs.toString()
    this.#files.set(path, { path, ...hashed, modified, ...details })
    this.#report(path, true)
  }

  #advance(path: string, bytes: number): void {
    this.#bytes += bytes
    const nowMs = performance.now()
    if (nowMs - this.#reportedAtMs < REPORT_EVERY_MS) return
    this.#reportedAtMs = nowMs
    this.#report(path, false)
  }

  #report(file: string, isDone: boolean): void {
    this.#onProgress({ file, isDone, bytes: this.#bytes, bytesTotal: Math.max(this.#bytes, this.#bytesTotal) })
  }
}

/** With its WAL. */
export function databaseBytes(path: string): number {
  const sizes = [path, `${path}-wal`].map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0)
  return sizes.reduce((sum, size) => sum + size, 0)
}
