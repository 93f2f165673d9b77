/** A refusal: a request that we understand but will not or cannot carry out. Anything else that is thrown is a bug. */

export const ERROR_CODES = [
  'invalid_request',
  'invalid_cursor',
  'unauthenticated',
  'missing_scope',
  'forbidden',
  'tenant_suspended',
  'cross_site',
  'domain_missing',
  'domain_not_found',
  'not_found',
  'conflict',
  'invalid_payload',
  'payload_too_large',
  'unsupported_encoding',
  'rate_limited',
  'too_many_tries',
  'too_many_requests',
  'too_many_reads',
  'quota_exceeded',
  'storage_unavailable',
  'overloaded',
] as const

export type ErrorCode = (typeof ERROR_CODES)[number]

export class AppError extends Error {
  override readonly name = 'AppError'
  readonly code: ErrorCode
  /** When to retry, if it is known better than the code says. */
  readonly retryAfterSeconds: number | undefined

  /** `message` is public: it is returned to the caller, so it must not contain secrets or another tenant's data. */
  constructor(code: ErrorCode, message: string, options?: { cause?: unknown; retryAfterSeconds?: number }) {
    super(message, options)
    this.code = code
    this.retryAfterSeconds = options?.retryAfterSeconds
  }
}

/** What the system said, for the log: a refusal is not a bug and needs no stack. */
export function reasonOf({ cause, message }: AppError): string {
  return cause instanceof Error ? cause.message : message
}
