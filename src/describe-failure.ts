/** Describes why a program failed: the message for stderr and the exit code. */
import { ConfigError } from './config/load-config.ts'
import { AppError, reasonOf } from './lib/app-error.ts'
import { isStorageFailure } from './storage/sqlite/database/storage-failure.ts'

/** `incomplete`: the work was done, except for parts that are named. */
export const EXIT = { ok: 0, failed: 1, usage: 2, incomplete: 3 } as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

export interface Failure {
  readonly message: string
  readonly exitCode: ExitCode
}

/** Messages of an unavailable storage. */
const FOR_SENDERS = /\bSend the same request again\b/
/** Errors of ClickHouse quote the statement. */
const CAUSE_LENGTH_MAX = 500

export function describeFailure(error: unknown): Failure {
  if (error instanceof ConfigError) return { message: error.message, exitCode: EXIT.usage }
  if (error instanceof AppError) {
    // A usage error can be fixed by changing the command.
    return { message: withCause(error), exitCode: error.code === 'invalid_request' ? EXIT.usage : EXIT.failed }
  }
  // A disk that fails is not a bug, wherever it is noticed.
  if (error instanceof Error && isStorageFailure(error)) {
    const message = `The data folder cannot be used: ${error.message}. Check the disk and its file system.`
    return { message, exitCode: EXIT.failed }
  }
  // Everything else is a bug: print the whole stack for the report.
  const details = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { message: `unexpected error, please report it:\n${details}`, exitCode: EXIT.failed }
}

/** A sender only has to retry; an operator wants to know why. */
function withCause(error: AppError): string {
  const reason = reasonOf(error)
  if (!FOR_SENDERS.test(error.message) || error.message.includes(reason)) return error.message
  return `${error.message}\nThe cause: ${reason.slice(0, CAUSE_LENGTH_MAX)}`
}
