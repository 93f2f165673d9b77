import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ERRORS, type RefusalCode, rowOf, TRANSPORT_ERRORS, toErrorBody } from './error-body.ts'

test('the status and the Retry-After of every refusal are part of the interface', () => {
  const codes = [...Object.keys(ERRORS), ...Object.keys(TRANSPORT_ERRORS)] as RefusalCode[]
  const rows = codes.map((code) => {
    const { status, retryAfterSeconds } = rowOf(code)
    return [code, status, retryAfterSeconds ?? 'none'].join(' ')
  })
  assert.deepEqual(rows, [
    'invalid_request 400 none',
    'invalid_cursor 400 none',
    'unauthenticated 401 none',
    'missing_scope 401 none',
    'forbidden 403 none',
    'tenant_suspended 403 none',
    'cross_site 403 none',
    'domain_missing 400 none',
    'domain_not_found 400 none',
    'not_found 404 none',
    'conflict 409 none',
    'invalid_payload 400 none',
    'payload_too_large 413 none',
    'unsupported_encoding 415 none',
    'rate_limited 429 1',
    'too_many_tries 429 10',
    'too_many_requests 429 1',
    'too_many_reads 429 1',
    'quota_exceeded 429 3600',
    'storage_unavailable 503 5',
    'overloaded 503 2',
    'malformed_request 400 none',
    'request_timeout 408 none',
    'body_too_large 413 none',
    'expectation_failed 417 none',
    'headers_too_large 431 none',
    'internal_error 500 none',
    'closing 503 1',
  ])
})

test('the body has the status and the words', () => {
  assert.deepEqual(toErrorBody(404, 'Not found'), { error: 404, message: 'Not found' })
})
