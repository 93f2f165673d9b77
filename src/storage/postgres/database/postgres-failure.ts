/** Distinguishes a PostgreSQL that cannot be used at the moment from a bug of ours, by the code of the error. */
import { AppError } from '../../../lib/app-error.ts'

/** Classes of SQLSTATE: connection, resources, operator intervention, system error, transaction rollback. */
const CLASSES = new Set(['08', '53', '57', '58', '40'])
/** 25P03: idle in a transaction for too long. 25006: a standby, which is read-only. 55P03: a lock was not available. */
const CODES = new Set(['25P03', '25006', '55P03'])
const SYSTEM_CODES = /^E[A-Z]{3,}$/
/** `pg` has no codes for these. */
const MESSAGES =
  /^(?:Connection terminated|Query read timeout|Client was closed|Client has encountered|timeout expired|timeout exceeded when trying to connect|Cannot use a pool after calling end)/

export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof AggregateError) return error.errors.some(isUnavailable)
  const { code } = error as { code?: unknown }
  if (typeof code !== 'string') return MESSAGES.test(error.message)
  return CODES.has(code) || CLASSES.has(code.slice(0, 2)) || SYSTEM_CODES.test(code)
}

/** Nothing came within the time: the server, or the way to it, is silent. The statement may still be executed. */
export function isSilence(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout'
}

export function postgresUnavailable(cause: unknown): AppError {
  return new AppError(
    'storage_unavailable',
    'The control database cannot be used at the moment. Send the same request again later; nothing is stored twice.',
    { cause },
  )
}

/** By SQLSTATE: what an operator has to change. */
const REFUSALS: Readonly<Record<string, string>> = {
  '28P01': 'refuses the user or the password',
  '28000': 'does not allow this user to connect from here',
  '3D000': 'has no database with this name',
  '42501': 'does not grant this user the privileges that Envelog needs: the user has to own the database',
}

/** Why PostgreSQL cannot be used at the start, in words that contain no password. Other errors are returned as they are. */
export function explainOpening(error: unknown): unknown {
  const cause = error instanceof AppError ? error.cause : error
  if (!(cause instanceof Error)) return error
  const refusal = REFUSALS[String((cause as { code?: unknown }).code)]
  if (refusal === undefined && !isUnavailable(cause)) return error
  const problem = refusal ?? `cannot be reached (${describeCause(cause)})`
  const alsoCheck = refusal === undefined ? ', and that the server runs' : ''
  return new AppError(
    'storage_unavailable',
    `PostgreSQL ${problem}. Check ENVELOG_POSTGRES_URL or ENVELOG_POSTGRES_URL_FILE${alsoCheck}.`,
    { cause },
  )
}

/** An address that has several: one error for each. */
function describeCause(cause: Error): string {
  const causes: readonly unknown[] = cause instanceof AggregateError ? cause.errors : [cause]
  return causes.map((one) => (one instanceof Error ? one.message : String(one))).join('; ')
}
