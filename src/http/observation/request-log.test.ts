import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { pino } from 'pino'
import { openAppFixture } from '../../../test/harness/app/app-fixture.ts'
import { withChangedLog } from '../../../test/harness/storage/changed-log.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Storage } from '../../storage/storage.ts'
import type { Metrics } from './metrics.ts'
import { describeCauses, LOG_SERIALIZERS, logAnswer } from './request-log.ts'

test('a request is one line with id, method, route pattern, status and duration', async () => {
  await using fixture = await openAppFixture()
  const answer = await fixture.get('/webhooks/acme.test?recipient=someone%40example.net')
  assert.equal(fixture.logLines.length, 1)
  const { durationMs, time: _time, level: _level, ...line } = fixture.logLines[0] ?? {}
  assert.deepEqual(line, {
    requestId: answer.headers['x-request-id'],
    method: 'GET',
    route: '/webhooks/:domain',
    status: 200,
    keyId: fixture.acme.key.slice(4, 16),
    msg: 'request',
  })
  assert(typeof durationMs === 'number' && durationMs >= 0)
})

test('the duration is logged to the microsecond, and measured as it is', () => {
  const lines: object[] = []
  const log = { info: (line: object) => void lines.push(line) }
  const observed: unknown[] = []
  const metrics = { observeRequest: (request: unknown) => void observed.push(request) }
  const [request, reply] = [
    { method: 'GET', log },
    { statusCode: 200, elapsedTime: 12.345_678 },
  ]
  logAnswer(request as unknown as FastifyRequest, reply as unknown as FastifyReply, metrics as unknown as Metrics)
  assert.deepEqual(lines, [{ route: '(none)', method: 'GET', status: 200, durationMs: 12.346 }])
  assert.deepEqual(observed, lines)
})

test("the line of a refused request has the error code, and the key's id if the key is valid", async () => {
  await using fixture = await openAppFixture()
  const keyId = fixture.acme.key.slice(4, 16)
  const operatorKeyId = fixture.operatorKey.slice(4, 16)
  const cases: [() => Promise<unknown>, string, string?][] = [
    [() => fixture.get('/webhooks/acme.test', null), 'unauthenticated'],
    [() => fixture.get('/webhooks/acme.test', `${fixture.acme.key}x`), 'unauthenticated'],
    [() => fixture.get('/webhooks/acme.test', fixture.operatorKey), 'missing_scope', operatorKeyId],
    [() => fixture.get('/webhooks/acme.test?limit=0'), 'invalid_request', keyId],
    [() => fixture.get('/webhooks/nowhere.test'), 'domain_not_found', keyId],
    [() => fixture.get('/nowhere'), 'not_found'],
    [() => fixture.get('/webhooks/%zz'), 'malformed_request'],
    [() => fixture.post('/ingest/nothing', fixture.operatorKey), 'not_found', operatorKeyId],
    [
      () =>
        fixture.post('/ingest/events', fixture.operatorKey, { headers: { 'content-encoding': 'br' }, payload: '{}' }),
      'unsupported_encoding',
      operatorKeyId,
    ],
  ]
  for (const [call, code, id] of cases) {
    await call()
    const line = new Map(Object.entries(fixture.logLines.at(-1) ?? {}))
    assert.deepEqual([line.get('code'), line.get('keyId')], [code, id])
  }
})

test('no key, path, query, recipient, subject or domain is ever logged, whatever happens to the request', async () => {
  const failure = new Error('cannot read', { cause: new AppError('storage_unavailable', 'no disk') })
  const wrapStorage = (storage: Storage): Storage => withChangedLog(storage, { counts: () => Promise.reject(failure) })
  await using fixture = await openAppFixture({ wrapStorage })
  const event = fixture.event({ recipient: 'SECRET-recipient@example.net', subject: 'SECRET-subject' })
  await fixture.ingest([event])
  const keys = [fixture.acme.key, fixture.operatorKey, 'SECRET-rubbish-key', null]
  const urls = [
    '/webhooks/acme.test?recipient=SECRET-recipient&next_token=SECRET-token',
    '/webhooks/acme.test?limit=SECRET-limit',
    '/webhooks/SECRET-domain.test',
    '/SECRET-path?SECRET-query=1',
    '/webhooks/%zz?SECRET-query',
    '/logs/acme.test?type=SECRET-type',
    '/domain/stats?SECRET=1',
    '/v1/events?q=SECRET-text&cursor=SECRET-cursor',
    '/v1/events?format=csv&recipient=SECRET-recipient',
    '/v1/messages/SECRET-message',
    '/v1/stats/series?provider=SECRET-provider',
    '/v1/domains/SECRET-domain.test',
    '/api/v2/domain?orderBy=SECRET-order',
  ]
  for (const key of keys) {
    for (const url of urls) await fixture.get(url, key, { headers: { 'user-agent': 'SECRET-agent', cookie: 'SECRET' } })
    await fixture.post('/api/v2/domain/SECRET-id/verify', key, { payload: 'SECRET-body' })
    await fixture.post('/ingest/events', key, { payload: '{"id":"SECRET-event"}' })
    await fixture.post('/ingest/SECRET-connector', key, { payload: 'SECRET-body' })
  }
  assert.equal(fixture.logLines.filter(({ msg }) => msg === 'request').length, keys.length * (urls.length + 3) + 1)
  assert.doesNotMatch(fixture.logText, /SECRET/i)
  // Without its public id, which a log may hold.
  for (const key of [fixture.acme.key, fixture.operatorKey]) assert(!fixture.logText.includes(key.slice(17)))
  assert.doesNotMatch(fixture.logText, /acme/)
})

test('a request, response or error object is logged without sensitive fields', () => {
  const lines: string[] = []
  const logger = pino({ serializers: LOG_SERIALIZERS }, { write: (line: string) => void lines.push(line) })
  const request = { method: 'GET', url: '/x?SECRET', headers: { authorization: 'SECRET' }, routeOptions: { url: '/x' } }
  const error = Object.assign(new Error('went wrong'), { sql: 'SECRET', code: 'ERR_SQLITE', request })
  logger.info({ req: request, res: { statusCode: 200, headers: 'SECRET' }, err: error })
  assert.doesNotMatch(lines.join(), /SECRET/)
  assert.match(lines.join(), /"req":\{"method":"GET","route":"\/x"\}.*ERR_SQLITE/)
})

describe('causes', () => {
  test('are logged down to the last one, even in a loop', () => {
    const loop: Error & { cause?: unknown } = new Error('again')
    loop.cause = loop
    const levels = (described: unknown): number => {
      const { cause } = described as { readonly cause?: unknown }
      return cause === undefined ? 1 : 1 + levels(cause)
    }
    assert.equal(levels(describeCauses(loop)), 10)
    assert.deepEqual(describeCauses('text'), { type: 'string', message: 'text' })
  })
})

describe('the request id', () => {
  test("is the caller's own if it is harmless", async () => {
    await using fixture = await openAppFixture()
    for (const id of ['a', '01HV-abc.DEF_1:2', 'x'.repeat(64)]) {
      const answer = await fixture.get('/healthz', null, { headers: { 'x-request-id': id } })
      assert.equal(answer.headers['x-request-id'], id)
      assert.equal(new Map(Object.entries(fixture.logLines.at(-1) ?? {})).get('requestId'), id)
    }
  })

  test('is generated otherwise', async () => {
    await using fixture = await openAppFixture()
    for (const id of ['', 'x'.repeat(65), 'a b', 'someone@example.net', '{"level":60}', '<script>']) {
      const answer = await fixture.get('/healthz', null, { headers: { 'x-request-id': id } })
      assert.match(String(answer.headers['x-request-id']), /^[0-9a-f]{8}-[0-9a-f-]{27}$/)
    }
  })
})
