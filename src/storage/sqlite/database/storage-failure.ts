/** Distinguishes a disk that cannot be written from a bug of ours, by SQLite's primary result code. */
import { AppError } from '../../../lib/app-error.ts'

/** BUSY, LOCKED, NOMEM, READONLY, IOERR, CORRUPT, FULL, CANTOPEN, PROTOCOL, NOTADB. https://sqlite.org/rescode.html */
const FAILURES = new Set([5, 6, 7, 8, 10, 11, 13, 14, 15, 26])

const FILE_FAILURES = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EIO', 'EMFILE', 'ENFILE', 'EFBIG', 'EPERM'])

export function isStorageFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { errcode, code } = error as { errcode?: unknown; code?: unknown }
  if (typeof errcode === 'number') return FAILURES.has(errcode & 0xff)
  return typeof code === 'string' && FILE_FAILURES.has(code)
}

/** CORRUPT, NOTADB: the file itself is at fault. */
export function isDamaged(error: unknown): boolean {
  const { errcode } = error as { errcode?: unknown }
  return typeof errcode === 'number' && [11, 26].includes(errcode & 0xff)
}

export function storageUnavailable(cause: unknown): AppError {
  return new AppError(
    'storage_unavailable',
    'Storage cannot be written at the moment. Send the same request again later; nothing is stored twice.',
    { cause },
  )
}

/** For reads whose thread ended before they did. */
export function readingInterrupted(cause: unknown): AppError {
  return new AppError('storage_unavailable', 'The log cannot be read at the moment. Send the same request again.', {
    cause,
  })
}
