/** A file that cannot be written is a refusal, not a bug: the disk may be full, and the caller may have chosen the folder. */
import { AppError } from '../../../../lib/app-error.ts'

/** Undefined for any other error. */
export function unwritable(what: string, error: unknown): AppError | undefined {
  if (!(error instanceof Error && 'syscall' in error)) return undefined
  return new AppError('storage_unavailable', `The ${what} cannot be written: ${error.message}`, { cause: error })
}
