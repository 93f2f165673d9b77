/** Maps refusals to HTTP statuses, here only. Every response of 400 or above has the body `{error, message}`. */
import { VERIFY_RATE } from '../../domains/verification/verification-runner.ts'
import type { ErrorCode } from '../../lib/app-error.ts'
import { SIGN_IN_RATE } from '../../tenants/session.ts'

export interface ErrorBody {
  /** The HTTP status. */
  readonly error: number
  readonly message: string
}

export interface ErrorRow {
  readonly status: number
  /** One sentence for the manual. */
  readonly description: string
  /** Sent as Retry-After. */
  readonly retryAfterSeconds?: number
}

export const ERRORS = {
  invalid_request: {
    status: 400,
    description: 'A parameter is malformed or out of range; the message names it and says what is allowed.',
  },
  invalid_cursor: {
    status: 400,
    description:
      'The `next_token`, `cursor` or `Last-Event-ID` was modified, has expired, belongs to another domain or tenant, or was ' +
      'sent with other filters.',
  },
  unauthenticated: {
    status: 401,
    description: 'The `Authorization` header is missing or does not contain a valid API key.',
  },
  missing_scope: {
    status: 401,
    description: 'The API key is valid but lacks the scope named in the message.',
  },
  forbidden: {
    status: 403,
    description: 'Under /v1: the API key is valid but lacks the scope or is of the wrong kind (tenant or operator).',
  },
  cross_site: {
    status: 403,
    description:
      'A state-changing request with the session cookie came from another site or without the `X-CSRF-Token` header.',
  },
  domain_missing: { status: 400, description: 'The domain is missing from the path.' },
  domain_not_found: {
    status: 400,
    description: 'The domain does not exist or belongs to another tenant; the response is the same for both.',
  },
  not_found: { status: 404, description: 'There is no endpoint or resource at this path.' },
  conflict: { status: 409, description: 'The resource already exists.' },
  invalid_payload: { status: 400, description: 'The request body as a whole cannot be parsed.' },
  payload_too_large: {
    status: 413,
    description: 'The request body is too large, as sent or after decompression.',
  },
  unsupported_encoding: { status: 415, description: 'The `Content-Encoding` is not supported.' },
  rate_limited: {
    status: 429,
    description: 'The tenant has exceeded the rate limit for verifications; nothing was checked.',
    retryAfterSeconds: 60 / VERIFY_RATE.perMinute,
  },
  too_many_tries: {
    status: 429,
    description: 'Too many failed sign-in attempts from the same address; the key was not checked.',
    retryAfterSeconds: 60 / SIGN_IN_RATE.perMinute,
  },
  storage_unavailable: {
    status: 503,
    description: 'Storage cannot commit at the moment; nothing was stored. Retry later.',
    retryAfterSeconds: 5,
  },
  overloaded: {
    status: 503,
    description: 'Too many requests are waiting; nothing was done. Retry later.',
    retryAfterSeconds: 2,
  },
} as const satisfies Record<ErrorCode, ErrorRow>

/** Errors before a request reaches a route, and bugs. Same body, same documentation. */
export const TRANSPORT_ERRORS = {
  malformed_request: { status: 400, description: 'The request is not valid HTTP, or its URL is invalid.' },
  request_timeout: { status: 408, description: 'The request did not arrive completely in time.' },
  body_too_large: { status: 413, description: 'The request body is too large.' },
  expectation_failed: { status: 417, description: 'The `Expect` header asks for something that is not supported.' },
  headers_too_large: { status: 431, description: 'The request line and the headers together are too large.' },
  internal_error: {
    status: 500,
    description:
      'A bug or failure of the server. The message contains the request id, under which the log has the cause.',
  },
  closing: {
    status: 503,
    description: 'The server is shutting down. Retry.',
    retryAfterSeconds: 1,
  },
} as const satisfies Record<string, ErrorRow>

export type RefusalCode = ErrorCode | keyof typeof TRANSPORT_ERRORS

export function toErrorBody(status: number, message: string): ErrorBody {
  return { error: status, message }
}

export function rowOf(code: RefusalCode): ErrorRow {
  return { ...ERRORS, ...TRANSPORT_ERRORS }[code]
}
