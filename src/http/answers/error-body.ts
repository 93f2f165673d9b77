/** Maps refusals to HTTP statuses, here only. Every response of 400 or above has the body `{error, message}`. */
import { VERIFY_RATE } from '../../domains/verification/verification-runner.ts'
import type { ErrorCode } from '../../lib/app-error.ts'
import type { Static } from '../../lib/json-schema.ts'
import { known } from '../../lib/known.ts'
import { SIGN_IN_RATE } from '../../tenants/session.ts'
import type { ErrorBodySchema } from './error-body.wire.ts'

export interface ErrorRow {
  readonly status: number
  /** One sentence for the manual. */
  readonly description: string
  /** Sent as Retry-After. */
  readonly retryAfterSeconds?: number
}

function row(status: number, description: string, retryAfterSeconds?: number): ErrorRow {
  return { status, description, ...known({ retryAfterSeconds }) }
}

export const ERRORS: Readonly<Record<ErrorCode, ErrorRow>> = {
  invalid_request: row(400, 'A parameter is malformed or out of range; the message names it and says what is allowed.'),
  invalid_cursor: row(
    400,
    'The `next_token`, `cursor` or `Last-Event-ID` was modified, has expired, belongs to another domain or tenant, or was ' +
      'sent with other filters.',
  ),
  unauthenticated: row(401, 'The `Authorization` header is missing or does not contain a valid API key.'),
  missing_scope: row(401, 'The API key is valid but lacks the scope named in the message.'),
  forbidden: row(
    403,
    'Under /v1: the API key is valid but lacks the scope, is of the wrong kind (tenant or operator), or may not use a parameter.',
  ),
  tenant_suspended: row(403, 'The tenant of the API key is suspended by the operator; nothing was read or stored.'),
  cross_site: row(
    403,
    'A state-changing request with the session cookie came from another site or without the `X-CSRF-Token` header.',
  ),
  domain_missing: row(400, 'The domain is missing from the path.'),
  domain_not_found: row(
    400,
    'The domain does not exist or belongs to another tenant; the response is the same for both.',
  ),
  not_found: row(404, 'There is no endpoint or resource at this path.'),
  conflict: row(409, 'The resource already exists.'),
  invalid_payload: row(400, 'The request body as a whole cannot be parsed.'),
  payload_too_large: row(413, 'The request body is too large, as sent or after decompression.'),
  unsupported_encoding: row(415, 'The `Content-Encoding` is not supported.'),
  rate_limited: row(
    429,
    'The tenant has exceeded the rate limit for verifications, or for adding domains; nothing was done.',
    60 / VERIFY_RATE.perMinute,
  ),
  too_many_tries: row(
    429,
    'Too many failed sign-in attempts from the same address; the key was not checked.',
    60 / SIGN_IN_RATE.perMinute,
  ),
  too_many_requests: row(429, 'The key has exceeded its rate limit; see the `RateLimit` header.', 1),
  too_many_reads: row(429, 'The tenant has too many reads running or waiting; nothing was read.', 1),
  quota_exceeded: row(429, "The tenant's quota is used up; nothing of this request was stored.", 3600),
  storage_unavailable: row(
    503,
    'Storage, or a day of it, cannot be used at the moment. The message says what was stored. Retry later.',
    5,
  ),
  overloaded: row(503, 'Too many requests are waiting; nothing was done. Retry later.', 2),
}

/** Errors before a request reaches a route, and bugs. Same body, same documentation. */
export const TRANSPORT_ERRORS = {
  malformed_request: row(400, 'The request is not valid HTTP, or its URL is invalid.'),
  request_timeout: row(408, 'The request did not arrive completely in time.'),
  body_too_large: row(413, 'The request body is too large.'),
  expectation_failed: row(417, 'The `Expect` header asks for something that is not supported.'),
  headers_too_large: row(431, 'The request line and the headers together are too large.'),
  internal_error: row(
    500,
    'A bug or failure of the server. The message contains the request id, under which the log has the cause.',
  ),
  closing: row(503, 'The server is shutting down. Retry.', 1),
}

export type RefusalCode = ErrorCode | keyof typeof TRANSPORT_ERRORS

export function toErrorBody(status: number, message: string): Static<typeof ErrorBodySchema> {
  return { error: status, message }
}

export function rowOf(code: RefusalCode): ErrorRow {
  return { ...ERRORS, ...TRANSPORT_ERRORS }[code]
}
