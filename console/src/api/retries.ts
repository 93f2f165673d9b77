/** Which failed reads are retried, and when. */
import { ApiError } from './request.ts'

const RETRIES = 2
const PAUSE_MS = { first: 1000, max: 10_000 } as const

/** Network errors, 429 and 503 can succeed on a retry; a longer wait than a person's patience is shown instead. */
export function shouldRetry(failures: number, error: unknown): boolean {
  return isTemporary(error, [0, 429, 503]) && failures < RETRIES
}

/** For requests that fail visibly at once, except if the server is only busy. */
export function shouldRetryBusy(failures: number, error: unknown): boolean {
  return isTemporary(error, [429]) && failures < RETRIES
}

export function retryDelay(failures: number, error: unknown): number {
  const asked = error instanceof ApiError ? error.retryAfterMs : undefined
  return asked ?? Math.min(PAUSE_MS.first * 2 ** failures, PAUSE_MS.max)
}

function isTemporary(error: unknown, statuses: readonly number[]): boolean {
  return error instanceof ApiError && statuses.includes(error.status) && (error.retryAfterMs ?? 0) <= PAUSE_MS.max
}
