/** The only place where a refusal becomes an HTTP status. Every answer of 400 or above has the body `{error, message}`. */
import { VERIFY_RATE } from '../domains/verification-runner.ts'
import type { ErrorCode } from '../lib/app-error.ts'
import { SIGN_IN_RATE } from '../tenants/session.ts'

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
      'The `next_token`, `cursor` or `Last-Event-ID` was changed, has expired, belongs to another domain or tenant, or came ' +
      'with other filters.',
  },
  unauthenticated: {
    status: 401,
    description: 'The `Authorization` header is missing, or holds no valid API key.',
  },
  missing_scope: {
    status: 401,
    description: 'The API key is valid and may not do this: it lacks the scope that the message names.',
  },
  forbidden: {
    status: 403,
    description:
      'Under /v1: the API key is valid and may not do this, because it lacks the scope or is of the other kind.',
  },
  cross_site: {
    status: 403,
    description:
      'A request with the session cookie that changes something came from another site, or without the `X-CSRF-Token`.',
  },
  domain_missing: { status: 400, description: 'The path ends where the domain should follow.' },
  domain_not_found: {
    status: 400,
    description: 'There is no such domain, or it belongs to another tenant: the two are answered alike.',
  },
  not_found: { status: 404, description: 'Nothing is served at this address.' },
  conflict: { status: 409, description: 'What should be created exists already.' },
  invalid_payload: { status: 400, description: 'The request body as a whole cannot be read as what it should be.' },
  payload_too_large: {
    status: 413,
    description: 'The request body is larger than is accepted, as it came or after decompression.',
  },
  unsupported_encoding: { status: 415, description: 'The `Content-Encoding` is not one that is understood.' },
  rate_limited: {
    status: 429,
    description: 'The tenant has caused more verifications than are allowed at a time; nothing was checked.',
    retryAfterSeconds: 60 / VERIFY_RATE.perMinute,
  },
  too_many_tries: {
    status: 429,
    description: 'Too many failed tries to sign in came from the same address; nothing was looked at.',
    retryAfterSeconds: 60 / SIGN_IN_RATE.perMinute,
  },
  storage_unavailable: {
    status: 503,
    description: 'Storage cannot commit at the moment; nothing of the request was stored, so send it again later.',
    retryAfterSeconds: 5,
  },
  overloaded: {
    status: 503,
    description: 'More is waiting than can be taken in; nothing of the request was done, so send it again later.',
    retryAfterSeconds: 2,
  },
} as const satisfies Record<ErrorCode, ErrorRow>

/** What goes wrong before a request reaches a route, or in spite of us. Same body, same documentation. */
export const TRANSPORT_ERRORS = {
  malformed_request: { status: 400, description: 'The request is not valid HTTP, or its URL is not valid.' },
  request_timeout: { status: 408, description: 'The request did not arrive completely in time.' },
  body_too_large: { status: 413, description: 'The request body is larger than is accepted.' },
  expectation_failed: { status: 417, description: 'The `Expect` header asks for something that is not supported.' },
  headers_too_large: { status: 431, description: 'The request line and the headers together are too large.' },
  internal_error: {
    status: 500,
    description: 'Our fault. The message holds the id under which the cause is found in the log.',
  },
  closing: {
    status: 503,
    description: 'The server is shutting down; send the request again.',
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
