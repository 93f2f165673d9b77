import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import { type AppFixture, FIXTURE_SECRET, openAppFixture } from '../../../../test/harness/app/app-fixture.ts'
import { AppError } from '../../../lib/app-error.ts'
import { Networks } from '../../../lib/net/networks.ts'
import { createSealer } from '../../../lib/sealing/sealer.ts'
import type { Storage } from '../../../storage/storage.ts'
import { createSessions, SESSION_MS } from '../../../tenants/session.ts'
import type { Session } from './session.wire.ts'

let fixture: AppFixture
before(async () => {
  fixture = await openAppFixture({ trustedProxies: new Networks(['127.0.0.1']) })
})
after(() => fixture[Symbol.asyncDispose]())

const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' }
/** As a proxy reports it. */
const OVER_TLS = { 'x-forwarded-proto': 'https' }

function signIn(key: string, options: InjectOptions = {}): Promise<LightMyRequestResponse> {
  return fixture.post('/v1/session', null, { payload: JSON.stringify({ key }), ...options })
}

async function cookieOf(
  key: string,
  headers: Record<string, string> = {},
): Promise<{ cookie: string; csrfToken: string }> {
  const answer = await signIn(key, { headers })
  assert.equal(answer.statusCode, 200)
  const cookie = String(answer.headers['set-cookie']).split(';')[0] ?? ''
  return { cookie, csrfToken: answer.json<Session>().csrfToken ?? '' }
}

describe('signing in', () => {
  test('a key is exchanged for a cookie that scripts cannot read and other sites cannot use', async () => {
    const answer = await signIn(fixture.acme.key)
    assert.equal(answer.statusCode, 200)
    assert.match(
      String(answer.headers['set-cookie']),
      /^envelog_session=[\w-]{80,}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=43200$/,
    )
    assert.equal(answer.headers['cache-control'], 'no-store')
    const session = answer.json<Session>()
    assert.deepEqual(session.principal, {
      kind: 'tenant',
      tenant: { id: fixture.acme.tenant.id, clientId: fixture.acme.tenant.clientId, name: 'acme' },
      scopes: ['logs', 'domains', 'domainStats'],
    })
    assert.equal(session.expiresAt, new Date(fixture.nowMs + SESSION_MS).toISOString())
    assert.deepEqual([session.brand, session.retentionDays], ['', 90])
    assert(!answer.body.includes(fixture.acme.key.slice(20)) && !String(answer.headers['set-cookie']).includes('env_'))
  })

  test('behind a trusted proxy with TLS, the cookie is Secure and bound to this host by its name', async () => {
    const answer = await signIn(fixture.acme.key, { headers: OVER_TLS })
    const pattern = /^__Host-envelog_session=[\w-]{80,}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=43200; Secure$/
    assert.match(String(answer.headers['set-cookie']), pattern)
  })

  test('nobody else can claim TLS: a browser would drop the cookie', async () => {
    await using untrusting = await openAppFixture()
    const payload = JSON.stringify({ key: untrusting.acme.key })
    const direct = await untrusting.post('/v1/session', null, { payload, headers: OVER_TLS })
    assert.match(String(direct.headers['set-cookie']), /^envelog_session=[^;]+; (?!.*Secure)/)
    const elsewhere = await signIn(fixture.acme.key, { headers: OVER_TLS, remoteAddress: '192.0.2.7' })
    assert.match(String(elsewhere.headers['set-cookie']), /^envelog_session=/)
  })

  test('the brand is that of the field of message ids', async () => {
    await using branded = await openAppFixture({ serviceMessageIdField: 'globex_message_id' })
    const { brand, serviceMessageIdField } = (await branded.get('/v1/session')).json<Session>()
    assert.deepEqual([brand, serviceMessageIdField], ['globex', 'globex_message_id'])
  })

  test("an operator's session says so", async () => {
    const { principal } = (await signIn(fixture.operatorKey)).json<Session>()
    assert.deepEqual(principal, { kind: 'operator', scopes: ['ingest', 'admin'] })
  })

  test('a wrong key or a malformed request is refused and sets no cookie', async () => {
    const refused: [string, number][] = [
      [JSON.stringify({ key: 'rubbish' }), 401],
      [JSON.stringify({ key: '' }), 401],
      ['{"key":1}', 400],
      ['{}', 400],
      ['{"key":"x","extra":1}', 400],
      ['[]', 400],
      ['', 400],
      ['rubbish', 400],
      [`{"key":"${'x'.repeat(70_000)}"}`, 413],
    ]
    for (const [index, [payload, status]] of refused.entries()) {
      const headers = { 'x-forwarded-for': `198.51.100.${index}` }
      const answer = await fixture.post('/v1/session', null, { payload, headers })
      assert.equal(answer.statusCode, status, payload.slice(0, 30))
      assert.deepEqual(Object.keys(answer.json<object>()), ['error', 'message'])
      assert.equal(answer.headers['set-cookie'], undefined)
    }
  })

  test('another site cannot sign a user in', async () => {
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }]) {
      const answer = await signIn(fixture.acme.key, { headers })
      assert.equal(answer.statusCode, 403)
      assert.equal(answer.headers['set-cookie'], undefined)
    }
  })

  test('failed sign-in attempts are limited by address, successful ones are not', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.7' }
    for (let good = 0; good < 50; good++) {
      assert.equal((await signIn(fixture.acme.key, { headers })).statusCode, 200)
    }
    const statuses: number[] = []
    for (let bad = 0; bad < 21; bad++) statuses.push((await signIn('rubbish', { headers })).statusCode)
    assert.deepEqual(statuses, [...Array.from({ length: 20 }, () => 401), 429])
    const refused = await signIn(fixture.acme.key, { headers })
    assert.equal(refused.statusCode, 429)
    assert.equal(refused.headers['retry-after'], '10')
    assert.equal((await signIn(fixture.acme.key, { headers: { 'x-forwarded-for': '203.0.113.8' } })).statusCode, 200)
    fixture.advance(10_000)
    assert.equal((await signIn(fixture.acme.key, { headers })).statusCode, 200)
  })

  test('the addresses that a proxy did not add, or that come from another proxy, do not count', async () => {
    await using untrusting = await openAppFixture()
    const tryFrom = async ({ app }: AppFixture, forwarded: string, remoteAddress: string) => {
      const headers = { 'x-forwarded-for': forwarded }
      const payload = JSON.stringify({ key: 'rubbish' })
      return (await app.inject({ method: 'POST', url: '/v1/session', payload, headers, remoteAddress })).statusCode
    }
    for (let bad = 0; bad < 20; bad++) {
      assert.equal(await tryFrom(untrusting, `198.51.100.${bad}`, '10.1.2.3'), 401)
      assert.equal(await tryFrom(fixture, `198.51.100.${bad}, 203.0.113.9`, '127.0.0.1'), 401)
    }
    assert.equal(await tryFrom(untrusting, '198.51.100.99', '10.1.2.3'), 429)
    assert.equal(await tryFrom(fixture, '198.51.100.99, 203.0.113.9', '127.0.0.1'), 429)
  })
})

describe('a session', () => {
  test('acts for its key on GET, and only under /v1', async () => {
    const { cookie, csrfToken } = await cookieOf(fixture.acme.key)
    const answer = await fixture.get('/v1/session', null, { headers: { cookie: `a=b; ${cookie}; c=d` } })
    assert.equal(answer.statusCode, 200)
    assert.equal(answer.json<Session>().csrfToken, csrfToken)
    assert.equal((await fixture.get('/domain/stats', null, { headers: { cookie } })).statusCode, 401)
  })

  test('a key in the header takes precedence over the cookie, and has no session', async () => {
    const { cookie } = await cookieOf(fixture.acme.key)
    const answer = await fixture.get('/v1/session', fixture.rival.key, { headers: { cookie } })
    const { principal, csrfToken, expiresAt } = answer.json<Session>()
    assert.equal(principal.kind === 'tenant' && principal.tenant.name, 'rival')
    assert.deepEqual([csrfToken, expiresAt], [undefined, undefined])
    assert.equal((await fixture.get('/v1/session', 'rubbish', { headers: { cookie } })).statusCode, 401)
  })

  test('ends when its key is revoked, as of the next request', async () => {
    const { id, key } = await fixture.createKey(fixture.acme.tenant)
    const { cookie } = await cookieOf(key)
    assert.equal((await fixture.get('/v1/session', null, { headers: { cookie } })).statusCode, 200)
    await fixture.storage.control.keys.revokeKey(id, fixture.nowMs)
    const ended = await fixture.get('/v1/session', null, { headers: { cookie } })
    assert.equal(ended.statusCode, 401)
    assert.match(ended.json<{ message: string }>().message, /^This API key was revoked/)
    // A person who tries to sign in with it learns the same; a program learns nothing.
    const again = await signIn(key, { headers: { 'x-forwarded-for': '203.0.113.77' } })
    assert.match(again.json<{ message: string }>().message, /^This API key was revoked/)
    const program = await fixture.get('/v1/session', key)
    assert.equal(program.json<{ message: string }>().message, 'Invalid API key')
  })

  test('ends after twelve hours; one made with another secret or for an unknown key is invalid', async () => {
    const { cookie } = await cookieOf(fixture.acme.key)
    const sessionsUnder = (secret: Buffer) =>
      createSessions({
        sealer: createSealer(secret, 'session'),
        accessId: () => '',
        store: fixture.storage.control.sessions,
        clock: () => fixture.nowMs,
      })
    const foreign = sessionsUnder(Buffer.alloc(32, 8))
    const ours = sessionsUnder(readFileSync(join(fixture.dataDir, 'access.key')))
    const byDataSecret = sessionsUnder(FIXTURE_SECRET)
    const keyId = fixture.acme.key.split('_')[1] ?? ''
    const isServed = async (value: string) =>
      (await fixture.get('/v1/session', null, { headers: { cookie: value } })).statusCode === 200
    assert(await isServed(`envelog_session=${(await ours.issue(keyId)).token}`))
    assert(!(await isServed(`envelog_session=${(await foreign.issue(keyId)).token}`)))
    assert(!(await isServed(`envelog_session=${(await byDataSecret.issue(keyId)).token}`)), 'a backup has this one')
    assert(!(await isServed(`envelog_session=${(await ours.issue('nobody')).token}`)))
    assert(!(await isServed('envelog_session=')))
    assert(!(await isServed('envelog_session=rubbish')))
    fixture.advance(SESSION_MS - 1)
    assert(await isServed(cookie))
    fixture.advance(1)
    assert(!(await isServed(cookie)))
  })

  test('can change data only from our own pages, with the CSRF token', async () => {
    const { cookie, csrfToken } = await cookieOf(fixture.acme.key)
    const other = await cookieOf(fixture.acme.key)
    const send = async (headers: Record<string, string>) =>
      (await fixture.app.inject({ method: 'DELETE', url: '/v1/session', headers: { cookie, ...headers } })).statusCode
    assert.equal(await send({}), 403)
    assert.equal(await send({ 'x-csrf-token': csrfToken }), 403)
    assert.equal(await send(SAME_ORIGIN), 403)
    assert.equal(await send({ ...SAME_ORIGIN, 'x-csrf-token': '' }), 403)
    assert.equal(await send({ ...SAME_ORIGIN, 'x-csrf-token': other.csrfToken }), 403)
    assert.equal(await send({ 'x-csrf-token': csrfToken, 'sec-fetch-site': 'cross-site' }), 403)
    assert.equal(await send({ 'x-csrf-token': csrfToken, origin: 'https://evil.example' }), 403)
    assert.equal(await send({ 'x-csrf-token': csrfToken, host: 'x.example', origin: 'http://x.example' }), 204)
    assert.equal(await send({ ...SAME_ORIGIN, cookie: other.cookie, 'x-csrf-token': other.csrfToken }), 204)
  })

  test('with the cookie of TLS works over TLS, where a cookie that a neighbouring host could set does not count', async () => {
    const { cookie } = await cookieOf(fixture.acme.key)
    const { cookie: planted } = await cookieOf(fixture.rival.key)
    const secure = await cookieOf(fixture.acme.key, OVER_TLS)
    const whoIs = async (value: string, headers: Record<string, string> = {}) => {
      const answer = await fixture.get('/v1/session', null, { headers: { cookie: value, ...headers } })
      const { principal } = answer.json<Session>()
      return answer.statusCode === 200 && principal.kind === 'tenant' ? principal.tenant.name : answer.statusCode
    }
    assert.equal(await whoIs(secure.cookie, OVER_TLS), 'acme')
    assert.equal(await whoIs(secure.cookie), 'acme')
    assert.equal(await whoIs(`${planted}; ${secure.cookie}`, OVER_TLS), 'acme')
    assert.equal(await whoIs(`${planted}; ${secure.cookie}`), 'acme')
    assert.equal(await whoIs(cookie), 'acme')
    assert.equal(await whoIs(planted, OVER_TLS), 401)
  })

  test('signing out ends it for every copy of the cookie, removes both cookies, and leaves other sessions alone', async () => {
    for (const transport of [{}, OVER_TLS]) {
      const other = await cookieOf(fixture.acme.key, transport)
      const { cookie, csrfToken } = await cookieOf(fixture.acme.key, transport)
      const headers = { ...transport, cookie, ...SAME_ORIGIN, 'x-csrf-token': csrfToken }
      const answer = await fixture.app.inject({ method: 'DELETE', url: '/v1/session', headers })
      assert.equal(answer.statusCode, 204)
      assert.deepEqual(answer.headers['set-cookie'], [
        'envelog_session=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0',
        '__Host-envelog_session=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0; Secure',
      ])
      assert.equal(answer.body, '')
      const statusOf = async (value: string) =>
        (await fixture.get('/v1/session', null, { headers: { ...transport, cookie: value } })).statusCode
      assert.equal(await statusOf(cookie), 401)
      assert.equal(await statusOf(other.cookie), 200)
    }
  })

  test('signing out everywhere ends all sessions of the key, with a session or with the key itself', async () => {
    const sessions = await Promise.all([1, 2, 3].map(() => cookieOf(fixture.acme.key)))
    const foreign = await cookieOf(fixture.rival.key)
    const statusOf = async (cookie: string) =>
      (await fixture.get('/v1/session', null, { headers: { cookie } })).statusCode
    const [first] = sessions
    const headers = { cookie: first?.cookie ?? '', ...SAME_ORIGIN, 'x-csrf-token': first?.csrfToken ?? '' }
    const url = '/v1/session?everywhere=true'
    assert.equal((await fixture.app.inject({ method: 'DELETE', url, headers })).statusCode, 204)
    for (const { cookie } of sessions) assert.equal(await statusOf(cookie), 401)
    assert.equal(await statusOf(foreign.cookie), 200)
    const again = await cookieOf(fixture.acme.key)
    assert.equal(await statusOf(again.cookie), 200)
    const byKey = await fixture.app.inject({ method: 'DELETE', url, headers: { authorization: fixture.acme.key } })
    assert.equal(byKey.statusCode, 204)
    assert.equal(await statusOf(again.cookie), 401)
  })

  test('signing out with a key, which has no session, ends nothing', async () => {
    const { cookie } = await cookieOf(fixture.acme.key)
    const answer = await fixture.app.inject({
      method: 'DELETE',
      url: '/v1/session',
      headers: { authorization: fixture.acme.key },
    })
    assert.equal(answer.statusCode, 204)
    assert.equal((await fixture.get('/v1/session', null, { headers: { cookie } })).statusCode, 200)
  })

  test('the browser signs out even if storage cannot note it', async () => {
    const wrapStorage = (storage: Storage): Storage => {
      const failing = async () => {
        throw new AppError('storage_unavailable', 'the disk is full')
      }
      const sessions = { ...storage.control.sessions, saveSessions: failing }
      return { ...storage, control: { ...storage.control, sessions } }
    }
    await using broken = await openAppFixture({ wrapStorage })
    const payload = JSON.stringify({ key: broken.acme.key })
    const signedIn = await broken.post('/v1/session', null, { payload })
    const cookie = String(signedIn.headers['set-cookie']).split(';')[0] ?? ''
    const csrf = signedIn.json<Session>().csrfToken ?? ''
    const headers = { cookie, ...SAME_ORIGIN, 'x-csrf-token': csrf }
    const answer = await broken.app.inject({ method: 'DELETE', url: '/v1/session', headers })
    assert.equal(answer.statusCode, 503)
    assert.equal(answer.headers['set-cookie']?.length, 2)
  })
})

test('keys and sessions are never logged', async () => {
  const { cookie } = await cookieOf(fixture.acme.key)
  await fixture.get('/v1/session', null, { headers: { cookie } })
  for (const secret of [fixture.acme.key.slice(20), cookie.split('=')[1] ?? '?'])
    assert(!fixture.logText.includes(secret))
})
