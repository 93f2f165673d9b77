/** Copies one database, and tells a source that cannot be read from a target that cannot be written. */
import { closeSync, fdatasyncSync, fsyncSync, openSync } from 'node:fs'
import { Database } from '../../database/database.ts'
import { isDamaged, isStorageFailure } from '../../database/storage-failure.ts'
import { FLUSH_BYTES, type OnBytes } from '../hashed-copy.ts'

/** The original cannot be read. */
export class UnreadableError extends Error {}

/** SQLITE_IOERR_READ, SQLITE_IOERR_SHORT_READ. https://sqlite.org/rescode.html */
const READ_FAILURES = new Set([266, 522])

/** Durable when it returns. `onFlush` may throw to end the copy. */
export async function copyDatabase(
  from: string,
  to: string,
  onBytes: OnBytes,
  onFlush: () => void = () => undefined,
  flushBytes: number = FLUSH_BYTES,
): Promise<void> {
  using db = openSource(from)
  const target = openSync(to, 'wx', 0o600)
  try {
    let [copied, flushed] = [0, 0]
    await db.copyTo(to, (bytes) => {
      onBytes(bytes - copied)
      copied = bytes
      if (copied - flushed < flushBytes) return
      fdatasyncSync(target)
      flushed = copied
      onFlush()
    })
    fsyncSync(target)
  } catch (error) {
    throw isOfSource(error) ? new UnreadableError((error as Error).message, { cause: error }) : error
  } finally {
    closeSync(target)
  }
}

function openSource(path: string): Database {
  try {
    return new Database(path, { readOnly: true })
  } catch (error) {
    if (!isStorageFailure(error) || !(error instanceof Error)) throw error
    throw new UnreadableError(error.message, { cause: error })
  }
}

/** The target is a new file, so it cannot be damaged. */
function isOfSource(error: unknown): boolean {
  const { errcode } = error as { errcode?: unknown }
  return isDamaged(error) || (typeof errcode === 'number' && READ_FAILURES.has(errcode))
}
