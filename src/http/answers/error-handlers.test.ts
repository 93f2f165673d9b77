import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { FastifyBaseLogger, LightMyRequestResponse } from 'fastify'
import { type AppFixture, openAppFixture } from '../../../test/harness/app/app-fixture.ts'
import { withChangedLog } from '../../../test/harness/storage/changed-log.ts'
import { DaysUnavailableError } from '../../events/log/days-unavailable.ts'
import { AppError, ERROR_CODES } from '../../lib/app-error.ts'
import type { Storage } from '../../storage/storage.ts'
import { ERRORS, TRANSPORT_ERRORS } from './error-body.ts'
import { toRefusal } from './error-handlers.ts'

let fixture: AppFixture
/** The error that the statistics throw. */
let failure: unknown

before(async () => {
  const wrapStorage = (storage: Storage): Storage =>
    withChangedLog(storage, {
      async counts() {
        throw failure
      },
    })
  fixture = await openAppFixture({ wrapStorage })
})
after(() => fixture[Symbol.asyncDispose]())

function failWith(thrown: unknown): Promise<LightMyRequestResponse> {
  failure = thrown
  return fixture.get('/domain/stats')
}

describe('every refusal has its own status, and a body with exactly two fields', () => {
  for (const code of ERROR_CODES) {
    test(`${code} is ${ERRORS[code].status}`, async () => {
      const answer = await failWith(new AppError(code, 'Said to the caller'))
      assert.equal(answer.statusCode, ERRORS[code].status)
      assert.deepEqual(answer.json(), { error: ERRORS[code].status, message: 'Said to the caller' })
      assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
    })
  }
})

test('a 401 names the scheme, and a refusal with a time of its own to wait sends that', async () => {
  const unknown = await failWith(new AppError('unauthenticated', 'No'))
  assert.equal(unknown.headers['www-authenticate'], 'Bearer realm="envelog"')
  assert.equal((await failWith(new AppError('forbidden', 'No'))).headers['www-authenticate'], undefined)
  const later = await failWith(new AppError('quota_exceeded', 'No', { retryAfterSeconds: 77 }))
  assert.equal(later.headers['retry-after'], '77')
  assert.equal(unknown.headers['retry-after'], undefined)
})

test('an error of the framework has the status of the client that caused it; any other error is a bug', () => {
  const log = { error: () => undefined } as unknown as FastifyBaseLogger
  const errorOf = (properties: object) => Object.assign(new Error('x'), properties)
  for (const [thrown, code, status, message] of [
    [errorOf({ code: 'FST_X', statusCode: 400 }), 'malformed_request', 400, 'Bad Request'],
    [errorOf({ code: 'FST_X', statusCode: 413 }), 'body_too_large', 413, 'Payload Too Large'],
    [errorOf({ code: 'FST_X', statusCode: 499 }), 'malformed_request', 499, 'Refused'],
    [errorOf({ code: 'FST_X', statusCode: 399 }), 'internal_error', 500],
    [errorOf({ code: 'FST_X', statusCode: 500 }), 'internal_error', 500],
    [errorOf({ code: 'FST_X', statusCode: '400' }), 'internal_error', 500],
    [errorOf({ code: 'FST_X' }), 'internal_error', 500],
    [errorOf({ code: 'ERR_FST_', statusCode: 400 }), 'internal_error', 500],
    [errorOf({ code: 5, statusCode: 400 }), 'internal_error', 500],
    [{ code: 'FST_X', statusCode: 400 }, 'internal_error', 500],
  ] as const) {
    const refusal = toRefusal(thrown, { id: 'r', log })
    assert.deepEqual([refusal.code, refusal.status], [code, status], JSON.stringify(thrown))
    if (message !== undefined) assert.equal(refusal.message, message)
  }
})

test('every error in the documentation has a status and one sentence', () => {
  for (const [code, row] of Object.entries({ ...ERRORS, ...TRANSPORT_ERRORS })) {
    assert(row.status >= 400 && row.status < 600, code)
    assert.match(row.description, /^[A-Z].*\.$/, code)
  }
})

test('storage that cannot commit is 503 with Retry-After', async () => {
  const answer = await failWith(new AppError('storage_unavailable', 'Storage cannot commit'))
  assert.equal(answer.statusCode, 503)
  assert.match(String(answer.headers['retry-after']), /^[1-9]\d*$/)
})

test('a refusal is logged with its cause and a stack only if something has failed', async () => {
  const logged = async (refusal: AppError) => {
    const earlier = fixture.logLines.length
    await failWith(refusal)
    return fixture.logLines.slice(earlier).filter(({ msg }) => msg === 'refused')
  }
  const [setAside, ...others] = await logged(new DaysUnavailableError(['2026-03-01']))
  assert.deepEqual(others, [])
  assert.equal(setAside?.['code'], 'storage_unavailable')
  assert.match(String(setAside?.['reason']), /^Events of 2026-03-01 cannot be stored/)
  assert.doesNotMatch(JSON.stringify(setAside), /stack/)
  const failed = await logged(new AppError('storage_unavailable', 'No', { cause: new Error('disk on fire') }))
  assert.match(JSON.stringify(failed), /"stack":.*disk on fire/)
})

describe('a bug', () => {
  const cause = new Error('disk on fire', { cause: new TypeError('the match') })

  test('is 500 with a generic message that includes the request id', async () => {
    const answer = await failWith(new Error('secret detail', { cause }))
    assert.equal(answer.statusCode, 500)
    const requestId = String(answer.headers['x-request-id'])
    assert.deepEqual(answer.json(), {
      error: 500,
      message: `Internal error; see the server's log for request id ${requestId}.`,
    })
  })

  test('is logged once, with the request id and the whole chain of causes', async () => {
    const earlier = fixture.logLines.length
    const answer = await failWith(new Error('secret detail', { cause }))
    const lines = fixture.logLines.slice(earlier).filter((line) => 'err' in line)
    assert.equal(lines.length, 1)
    const { requestId, err } = lines[0] as {
      requestId: string
      err: { message: string; stack: string; cause: unknown }
    }
    assert.equal(requestId, answer.headers['x-request-id'])
    assert.equal(err.message, 'secret detail')
    assert.match(err.stack, /error-handlers\.test\.ts/)
    const { message, cause: root } = err.cause as { message: string; cause: { type: string; message: string } }
    assert.equal(message, 'disk on fire')
    assert.deepEqual([root.type, root.message], ['TypeError', 'the match'])
  })

  for (const thrown of [
    'a text',
    undefined,
    null,
    { statusCode: 400 },
    Object.assign(new Error('x'), { statusCode: 404 }),
  ]) {
    test(`may throw anything, even ${JSON.stringify(thrown)}, and never chooses its own status`, async () => {
      const answer = await failWith(thrown)
      assert.equal(answer.statusCode, 500)
      assert.deepEqual(Object.keys(answer.json()), ['error', 'message'])
    })
  }
})

test('an unknown route, method or asset is 404 with the usual error body', async () => {
  for (const url of [
    '/nothing',
    '/webhooks/a/b',
    '/WEBHOOKS/acme.test',
    '/favicon.ico',
    '/docs/other.js',
    '/v1',
    '*',
  ]) {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND'] as const) {
      const answer = await fixture.app.inject({ method: method as 'GET', url })
      assert.equal(answer.body, '{"error":404,"message":"Not found"}', `${method} ${url}`)
      assert.equal(answer.statusCode, 404)
    }
  }
  const wrongMethod = await fixture.app.inject({ method: 'DELETE', url: '/domain/stats' })
  assert.equal(wrongMethod.statusCode, 404)
})

test('what is written as it is found cannot be asked for with HEAD', async () => {
  for (const url of [
    '/v1/events',
    '/v1/events/stream',
    '/v1/admin/events',
    '/v1/admin/events/stream',
    '/v1/admin/audit',
  ]) {
    const headers = { authorization: url.includes('admin') ? fixture.operatorKey : fixture.acme.key }
    assert.equal((await fixture.app.inject({ method: 'HEAD', url, headers })).statusCode, 404, url)
  }
  assert.equal((await fixture.app.inject({ method: 'HEAD', url: '/healthz' })).statusCode, 200)
})

test('an unknown route is 404 with or without a request body', async () => {
  const answer = await fixture.post('/nothing', null, { payload: '{', headers: { 'content-type': 'application/json' } })
  assert.equal(answer.body, '{"error":404,"message":"Not found"}')
})

test('a URL that cannot be decoded is 400 with the usual body and headers, and is logged like other requests', async () => {
  for (const url of ['/%zz', '/webhooks/%', '/webhooks/%E4%B8', '/%c0%af', '/webhooks/%ff']) {
    const answer = await fixture.get(url)
    assert.equal(answer.statusCode, 400, url)
    assert.deepEqual(Object.keys(answer.json()), ['error', 'message'])
    assert.equal(answer.headers['x-content-type-options'], 'nosniff')
    const { requestId, status } = fixture.logLines.at(-1) ?? {}
    assert.deepEqual([requestId, status], [answer.headers['x-request-id'], 400])
  }
})

test('a query that cannot be decoded is 400 instead of being searched for, and a literal percent sign is not', async () => {
  for (const query of ['%zz', 'subject=%', 'subject=100%', 'subject=%ff', 'subject=x&%', 'limit=1&other=%E4%B8']) {
    const answer = await fixture.get(`/webhooks/acme.test?${query}`)
    assert.equal(answer.statusCode, 400, query)
    assert.match(answer.body, /send a literal % as %25/)
  }
  for (const query of ['', 'subject=100%25', 'other=%E4%B8%AD'])
    assert.equal((await fixture.get(`/webhooks/acme.test?${query}`)).statusCode, 200, query)
})

test('every response has the security headers for browsers', async () => {
  for (const url of [
    '/webhooks/acme.test',
    '/webhooks',
    '/nothing',
    '/healthz',
    '/domain/stats',
    '/%zz',
    '/openapi/logs.json',
  ]) {
    const { headers } = await fixture.get(url)
    assert.equal(headers['x-content-type-options'], 'nosniff', url)
    assert.equal(headers['cache-control'], 'no-store', url)
    assert.match(String(headers['content-security-policy']), /default-src 'none'.*frame-ancestors 'none'/, url)
    assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/, url)
  }
})
