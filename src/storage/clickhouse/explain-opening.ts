/** Why ClickHouse cannot be used at the start, for the operator, in words that contain no password. */
import { AppError, reasonOf } from '../../lib/app-error.ts'
import { exceptionCodeOf } from './server/clickhouse-failure.ts'

/** Codes of ErrorCodes.cpp. */
const REFUSALS: Readonly<Record<number, string>> = {
  192: 'does not know the user',
  193: 'refuses the password',
  194: 'requires a password',
  497: 'does not allow the user what Envelog needs',
  516: 'refuses the user or the password',
}

/** Other errors are returned as they are. */
export function explainOpening(error: unknown): unknown {
  const cause = error instanceof AppError ? (error.cause ?? error) : error
  const refusal = REFUSALS[exceptionCodeOf(cause) ?? 0]
  if (refusal !== undefined) {
    const options = 'ENVELOG_CLICKHOUSE_USER and ENVELOG_CLICKHOUSE_PASSWORD or ENVELOG_CLICKHOUSE_PASSWORD_FILE'
    return new AppError('storage_unavailable', `ClickHouse ${refusal}. Check ${options}.`, { cause })
  }
  if (!(error instanceof AppError) || error.code !== 'storage_unavailable') return error
  return new AppError(
    'storage_unavailable',
    `ClickHouse cannot be used (${reasonOf(error)}). Check ENVELOG_CLICKHOUSE_URL, and that its servers run.`,
    { cause },
  )
}
