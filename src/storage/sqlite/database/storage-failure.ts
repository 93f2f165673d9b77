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

/** A file with our schema that lacks a part of it has lost it. */
const LOST_SCHEMA = /^no such (table|column|index)/

/** For a database that has its whole schema. */
export function isDamagedWithSchema(error: unknown): boolean {
  return isDamaged(error) || (error instanceof Error && 'errcode' in error && LOST_SCHEMA.test(error.message))
}

/** IOERR_READ, IOERR_SHORT_READ, IOERR_DATA, IOERR_CORRUPTFS: the disk has not returned what was written. */
const READ_ERRORS = new Set([266, 522, 8202, 8458])

/** It may be a short failure of the disk; if it repeats, the day is unreadable. */
export function isReadError(error: unknown): boolean {
  const { errcode } = error as { errcode?: unknown }
  return typeof errcode === 'number' && READ_ERRORS.has(errcode)
}

/**
 * SQLITE_CORRUPT without a detail: SQLite says the same if the disk has answered a read with EIO. Only reading the file from beginning
 * to end shows what it is.
 */
export function isSuspicion(error: unknown): boolean {
  return (error as { errcode?: unknown }).errcode === 11
}

/** For `isDamaged`, but not for `isSuspicion`: the content is known to be wrong. */
export function provenDamage(problem: string): Error {
  return Object.assign(new Error(problem), { errcode: PROVEN })
}

/** A detail of CORRUPT that SQLite does not have. */
const PROVEN = 11 | (255 << 8)

/** READONLY, IOERR, CANTOPEN; an error of the file system while a file is opened or read. */
const ONE_FILE = { errcodes: new Set([8, 10, 14]), codes: new Set(['EIO', 'EACCES', 'EPERM']) } as const

/** Whether the error is most likely about this file, its disk or its permissions. A full disk, for example, is not. */
export function isFileFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { errcode, code } = error as { errcode?: unknown; code?: unknown }
  if (typeof errcode === 'number') return ONE_FILE.errcodes.has(errcode & 0xff)
  return typeof code === 'string' && ONE_FILE.codes.has(code)
}

/** SQLite's errors do not say which of many files they are about. */
export function failedOn(path: string, error: unknown): unknown {
  if (!(error instanceof Error)) return error
  if (!error.message.includes(path)) error.message += ` (${path})`
  return 'databasePath' in error ? error : Object.assign(error, { databasePath: path })
}

/** The file that an error is about, if it is SQLite's. */
export function databaseOf(error: unknown): string | undefined {
  const { databasePath } = error as { databasePath?: unknown }
  return typeof databasePath === 'string' ? databasePath : undefined
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
