/** Why ClickHouse cannot be used at the start, for the operator, in words that contain no password. */
import { AppError, reasonOf } from '../../lib/app-error.ts'
import { exceptionCodeOf } from './server/clickhouse-failure.ts'

/** Codes of ErrorCodes.cpp. */
const REFUSALS: Readonly<Record<number, string>> = {
  192: 'does not know the user',
  193: 'refuses the password',
  194: 'requires a password',
  516: 'refuses the user or the password',
}

const ACCESS_DENIED = 497
/** Of OpenSSL, when the other side answers in plain text. */
const NOT_TLS = /wrong version number|packet length too long/
const USES_NO_TLS =
  'the server does not use TLS on this port: use its HTTPS port (usually 8443), or http:// if no encryption is needed'

/** Other errors are returned as they are. */
export function explainOpening(error: unknown): unknown {
  const refused = explainRefusal(error)
  if (refused) return refused
  if (!(error instanceof AppError) || error.code !== 'storage_unavailable') return error
  const reason = reasonOf(error)
  const problem = NOT_TLS.test(reason) ? USES_NO_TLS : reason
  return new AppError(
    'storage_unavailable',
    `ClickHouse cannot be used (${problem}). Check ENVELOG_CLICKHOUSE_URL, and that its servers run.`,
    { cause: error.cause ?? error },
  )
}

/** Undefined unless ClickHouse refuses the account. */
export function explainRefusal(error: unknown): AppError | undefined {
  const cause = error instanceof AppError ? (error.cause ?? error) : error
  const code = exceptionCodeOf(cause)
  if (code === ACCESS_DENIED) {
    return new AppError(
      'storage_unavailable',
      'ClickHouse does not grant the user the privileges that Envelog needs. They are listed in docs/scaling.md.',
      { cause },
    )
  }
  const refusal = REFUSALS[code ?? 0]
  if (refusal === undefined) return undefined
  const options = 'ENVELOG_CLICKHOUSE_USER and ENVELOG_CLICKHOUSE_PASSWORD or ENVELOG_CLICKHOUSE_PASSWORD_FILE'
  return new AppError('storage_unavailable', `ClickHouse ${refusal}. Check ${options}.`, { cause })
}
