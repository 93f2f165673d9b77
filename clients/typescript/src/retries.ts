/** When a call is tried again: after errors that pass, waiting longer each time, at least as long as the server asks for. */
import { ConnectionError, EnvelogError } from './errors.ts'

export interface RetryOptions {
  /** Attempts in all. Default: 5. 1: never again. */
  readonly attempts?: number
  /** The longest time to wait before the next attempt. A server that asks for more gets an error. Default: 60. */
  readonly maxWaitSeconds?: number
}

const FIRST_WAIT_MS = 250

/** Undefined: do not try again. */
export function waitBefore(attempt: number, error: unknown, options: RetryOptions): number | undefined {
  const { attempts = 5, maxWaitSeconds = 60 } = options
  const isWorthIt = error instanceof ConnectionError || (error instanceof EnvelogError && error.isTemporary)
  if (attempt >= attempts || !isWorthIt) return undefined
  // Random, so that many clients do not come back at the same moment.
  const backOffMs = FIRST_WAIT_MS * 2 ** (attempt - 1) * (0.5 + Math.random() / 2)
  const askedMs = (error instanceof EnvelogError ? (error.retryAfterSeconds ?? 0) : 0) * 1000
  if (askedMs > maxWaitSeconds * 1000) return undefined
  return Math.min(Math.max(backOffMs, askedMs), maxWaitSeconds * 1000)
}

export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
