import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { FastifyReply, LightMyRequestResponse } from 'fastify'
import { openAppFixture } from '../../../test/harness/app/app-fixture.ts'
import { LOCAL_OPERATOR, type Principal } from '../../tenants/principal.ts'
import { listRoutes } from './access.ts'
import { LOCAL_TOKEN_HEADER } from './local-caller.ts'
import { RateLimits } from './rate-limits.ts'

const statusesOf = (answers: readonly LightMyRequestResponse[]) => answers.map(({ statusCode }) => statusCode)
const limitOf = ({ headers }: LightMyRequestResponse) => [headers['ratelimit-policy'], headers['ratelimit']]

describe('the rate limit of a key', () => {
  test('is for reading by default, counts down in the headers, and ends in 429 with the right time to wait', async () => {
    await using fixture = await openAppFixture({ rates: { read: 6, ingest: undefined } })
    const paths = [
      '/webhooks/acme.test',
      '/logs/acme.test',
      '/domain/stats',
      '/v1/events',
      '/v1/session',
      '/api/v2/domain',
    ]
    for (const [index, path] of paths.entries()) {
      const answer = await fixture.get(path)
      assert.equal(answer.statusCode, 200, path)
      assert.deepEqual(limitOf(answer), ['"read";q=6;w=60', `"read";r=${5 - index};t=${10 * (index + 1)}`])
    }
    fixture.advance(3000)
    const refused = await fixture.get('/webhooks/acme.test')
    assert.equal(refused.statusCode, 429)
    assert.deepEqual(refused.json(), {
      error: 429,
      message: 'This key is limited to 6 requests per minute; retry in 7 s.',
    })
    assert.equal(refused.headers['retry-after'], '7')
    assert.deepEqual(limitOf(refused), ['"read";q=6;w=60', '"read";r=0;t=57'])
    fixture.advance(7000)
    assert.equal((await fixture.get('/webhooks/acme.test')).statusCode, 200)
    await fixture.ingest([fixture.event()])
  })

  test('is that key’s alone: other keys, of the same tenant too, are not affected', async () => {
    await using fixture = await openAppFixture({ rates: { read: 2, ingest: undefined } })
    const { key } = await fixture.createKey(fixture.acme.tenant)
    const ask = async (by?: string) =>
      statusesOf([await fixture.get('/domain/stats', by), await fixture.get('/v1/domains', by)])
    assert.deepEqual(await ask(), [200, 200])
    assert.deepEqual(await ask(), [429, 429])
    assert.deepEqual(await ask(key), [200, 200])
    assert.deepEqual(await ask(fixture.rival.key), [200, 200])
  })

  test('is shared by the key and its sessions, and signing out is always possible', async () => {
    await using fixture = await openAppFixture({ rates: { read: 2, ingest: undefined } })
    const signedIn = await fixture.post('/v1/session', null, { payload: JSON.stringify({ key: fixture.acme.key }) })
    const headers = { cookie: String(signedIn.headers['set-cookie']).split(';')[0] ?? '' }
    const { csrfToken } = signedIn.json<{ csrfToken: string }>()
    assert.equal((await fixture.get('/v1/domains')).statusCode, 200)
    assert.equal((await fixture.get('/v1/domains', null, { headers })).statusCode, 200)
    assert.equal((await fixture.get('/v1/domains', null, { headers })).statusCode, 429)
    const own = { ...headers, 'sec-fetch-site': 'same-origin', 'x-csrf-token': csrfToken }
    const signedOut = await fixture.app.inject({ method: 'DELETE', url: '/v1/session', headers: own })
    assert.equal(signedOut.statusCode, 204)
  })

  test('counts requests that are refused for another reason, but reveals nothing without a valid key', async () => {
    await using fixture = await openAppFixture({ rates: { read: 3, ingest: undefined } })
    const { key } = await fixture.createKey(fixture.acme.tenant, ['domains'])
    const answers = [
      await fixture.get('/webhooks/acme.test', key),
      await fixture.get('/api/v2/domain?take=nonsense', key),
      await fixture.get('/v1/events', key),
      await fixture.get('/v1/events', key),
    ]
    assert.deepEqual(statusesOf(answers), [401, 400, 403, 429])
    for (const answer of answers) assert.notEqual(answer.headers['ratelimit'], undefined)
    for (const wrong of [null, 'rubbish']) {
      const answer = await fixture.get('/v1/events', wrong)
      assert.deepEqual([answer.statusCode, ...limitOf(answer)], [401, undefined, undefined])
    }
  })

  test('for ingest is another one, and a refused request stores nothing', async () => {
    await using fixture = await openAppFixture({ rates: { read: 1, ingest: 2 } })
    const post = (path: string) => fixture.post(path, fixture.operatorKey, { payload: JSON.stringify(fixture.event()) })
    const answers = [await post('/ingest/events'), await post('/ingest/events'), await post('/ingest/events')]
    assert.deepEqual(statusesOf(answers), [200, 200, 429])
    assert.deepEqual(
      answers.map((answer) => answer.headers['ratelimit']),
      ['"ingest";r=1;t=30', '"ingest";r=0;t=60', '"ingest";r=0;t=60'],
    )
    assert.equal(answers[2]?.headers['retry-after'], '30')
    assert.equal((await fixture.get('/webhooks/acme.test')).json<{ count: number }>().count, 2)
  })

  test('does not apply to administration, and local callers have none', async () => {
    await using fixture = await openAppFixture({ rates: { read: 1, ingest: 1 }, localToken: 'local' })
    const local = { headers: { [LOCAL_TOKEN_HEADER]: 'local' } }
    for (let times = 0; times < 5; times++) {
      const payload = JSON.stringify(fixture.event())
      assert.equal((await fixture.post('/ingest/events', null, { payload, ...local })).statusCode, 200)
      const listed = await fixture.get('/v1/admin/tenants', fixture.operatorKey)
      assert.deepEqual([listed.statusCode, ...limitOf(listed)], [200, undefined, undefined])
      assert.equal((await fixture.get('/healthz', null)).statusCode, 200)
    }
  })

  test('says after how many whole seconds the next request is possible, and when all are', () => {
    let nowMs = 0
    const limits = new RateLimits({ read: 1, ingest: undefined }, () => nowMs)
    const headers = new Map<string, string>()
    const reply = { header: (name: string, value: string) => headers.set(name, value) } as unknown as FastifyReply
    const principal = { keyId: 'k' } as Principal
    limits.count('read', principal, reply)
    const entries = Object.fromEntries(headers)
    assert.deepEqual(entries, { 'RateLimit-Policy': '"read";q=1;w=60', RateLimit: '"read";r=0;t=60' })
    nowMs = 57_999
    assert.throws(() => limits.count('read', principal, reply), { retryAfterSeconds: 3 })
    assert.equal(headers.get('RateLimit'), '"read";r=0;t=3')
    limits.count('ingest', principal, reply)
    limits.count('read', LOCAL_OPERATOR, reply)
  })

  test('can be switched off', async () => {
    await using fixture = await openAppFixture()
    assert.deepEqual(limitOf(await fixture.get('/webhooks/acme.test')), [undefined, undefined])
  })

  test('is documented for exactly the routes that have it', async () => {
    await using fixture = await openAppFixture({ rates: { read: 1000, ingest: 1000 } })
    const documented = new Set<string>()
    for (const name of ['logs', 'stats', 'platform', 'v1', 'operations', 'tracking']) {
      const { paths } = (await fixture.get(`/openapi/${name}.json`, null)).json<{
        paths: Record<string, Record<string, { responses: Record<string, { headers?: Record<string, unknown> }> }>>
      }>()
      for (const [path, methods] of Object.entries(paths)) {
        for (const [method, { responses }] of Object.entries(methods)) {
          const limited = Object.entries(responses).filter(([, { headers }]) => headers && 'RateLimit' in headers)
          if (limited.length === 0) continue
          documented.add(`${method.toUpperCase()} ${path}`)
          const refusal = responses['429']?.headers ?? {}
          assert.deepEqual(Object.keys(refusal).toSorted(), ['RateLimit', 'RateLimit-Policy', 'Retry-After'], path)
        }
      }
    }
    const limited = listRoutes(fixture.app).flatMap(({ method, url, config, schema }) => {
      const isHidden = schema !== undefined && 'hide' in schema && schema.hide === true
      const { access, surface } = config ?? {}
      const isRead = typeof access === 'object' ? 'tenant' in access : access === 'key' && method === 'GET'
      const isIngest = surface === 'operations' && access !== 'public'
      if (isHidden || method === 'HEAD' || !(isRead || isIngest)) return []
      return [`${String(method)} ${url.replaceAll(/:(\w+)/g, '{$1}')}`]
    })
    assert.deepEqual(documented, new Set(limited))
    assert.ok(documented.has('GET /v1/events') && documented.has('POST /ingest/events'))
  })
})
