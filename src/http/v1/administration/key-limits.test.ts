import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type AppFixture, openAppFixture } from '../../../../test/harness/app/app-fixture.ts'
import { EventStream } from '../../../../test/harness/log/event-stream.ts'
import { toIsoTime } from '../../../lib/clock.ts'
import { listRoutes } from '../../access/access.ts'
import type { ApiKey, ApiKeys, CreatedKey } from './keys.wire.ts'
import type { Tenant, Tenants } from './tenants.wire.ts'

const DAY_MS = 86_400_000

let fixture: AppFixture
before(async () => {
  fixture = await openAppFixture()
})
after(() => fixture[Symbol.asyncDispose]())

const post = (path: string, body: object) =>
  fixture.post(`/v1/admin/${path}`, fixture.operatorKey, { payload: JSON.stringify(body) })
const create = async (body: object) => (await post('keys', body)).json<CreatedKey>()
const find = async (id: string): Promise<ApiKey | undefined> =>
  (await fixture.get('/v1/admin/keys', fixture.operatorKey)).json<ApiKeys>().keys.find((key) => key.id === id)
const statusOf = async (key: string, url = '/v1/domains', remoteAddress = '127.0.0.1') =>
  (await fixture.get(url, key, { remoteAddress })).statusCode

async function signIn(key: string, remoteAddress = '127.0.0.1') {
  const answer = await fixture.post('/v1/session', null, { payload: JSON.stringify({ key }), remoteAddress })
  return { answer, cookie: String(answer.headers['set-cookie']).split(';')[0] ?? '' }
}

describe('the limits of a key', () => {
  test('are set when it is created, listed, and changed later one by one', async () => {
    const networks = ['127.0.0.1', '10.0.0.0/8']
    const { id } = await create({ tenant: 'acme', name: 'billing', expires: '90d', networks })
    const expiresAt = toIsoTime(fixture.nowMs + 90 * DAY_MS)
    const listed = await find(id)
    assert.partialDeepStrictEqual(listed, { name: 'billing', expiresAt, networks, revokedAt: null })
    const changed = await post(`keys/${id}`, { name: 'invoices' })
    assert.equal(changed.statusCode, 200)
    assert.deepEqual(changed.json<ApiKey>(), { ...listed, name: 'invoices' })
    const cleared = await post(`keys/${id}`, { name: '', expires: null, networks: [] })
    assert.deepEqual(cleared.json<ApiKey>(), { ...listed, name: null, expiresAt: null, networks: [] })
    const timed = await post(`keys/${id}`, { expires: '2027-01-31T12:00:00+02:00' })
    assert.equal(timed.json<ApiKey>().expiresAt, '2027-01-31T10:00:00.000Z')
    assert.equal(changed.body.includes('secret'), false)
  })

  test('that make no sense are refused, and nothing is created', async () => {
    const before = (await fixture.get('/v1/admin/keys', fixture.operatorKey)).json<ApiKeys>().keys.length
    const wrong = [
      { expires: '2020-01-01' },
      { expires: '0d' },
      { expires: '' },
      { expires: 'soon' },
      { expires: '-1d' },
      { expires: '2026-02-31T00:00:00Z' },
      { expires: '+010000-01-01T00:00:00Z' },
      { expires: '999999999999999d' },
      { expires: 5 },
      { name: '\u001b]0;x\u0007' },
      { name: 'a'.repeat(101) },
      { networks: ['office'] },
      { networks: '10.0.0.0/8' },
      { networks: Array.from({ length: 51 }, (_, index) => `10.0.0.${index}`) },
      { owner: 'acme' },
    ]
    for (const limits of wrong) {
      const answer = await post('keys', { tenant: 'acme', ...limits })
      assert.equal(answer.statusCode, 400, JSON.stringify(limits))
      assert.ok(answer.body.length < 500)
    }
    const many = Array.from({ length: 10_000 }, (_, index) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`)
    assert.equal((await post('keys', { tenant: 'acme', networks: many })).statusCode, 413)
    const after = (await fixture.get('/v1/admin/keys', fixture.operatorKey)).json<ApiKeys>().keys.length
    assert.equal(after, before)
  })

  test('owner and scopes cannot be changed, nor a key that is revoked or unknown', async () => {
    const { id } = await create({ tenant: 'acme' })
    for (const body of [{ scopes: ['logs'] }, { tenant: 'rival' }, { revokedAt: null }])
      assert.equal((await post(`keys/${id}`, body)).statusCode, 400)
    await fixture.storage.control.keys.revokeKey(id, fixture.nowMs)
    assert.equal((await post(`keys/${id}`, { expires: '1d' })).statusCode, 409)
    assert.equal((await post('keys/nobodys', { expires: '1d' })).statusCode, 404)
  })
})

describe('an expired key', () => {
  test('is refused like a revoked one, with its sessions and streams, and cannot be revived', async () => {
    const address = await fixture.app.listen({ port: 0, host: '127.0.0.1' })
    const { id, key } = await create({ tenant: 'acme', expires: '1h' })
    const { cookie } = await signIn(key)
    const session = () => fixture.get('/v1/domains', null, { headers: { cookie } })
    await using stream = await EventStream.open(`${address}/v1/events/stream`, { authorization: key })
    assert.equal((await stream.next())?.event, 'position')
    assert.equal(await statusOf(key), 200)
    assert.equal((await session()).statusCode, 200)
    fixture.advance(3_600_000)
    assert.equal((await fixture.get('/v1/domains', key)).body, (await fixture.get('/v1/domains', 'rubbish')).body)
    assert.equal((await session()).statusCode, 401)
    assert.equal((await signIn(key)).answer.statusCode, 401)
    assert.equal(await stream.next(), undefined)
    assert.equal((await post(`keys/${id}`, { expires: null })).statusCode, 409)
  })
})

describe('a key with networks', () => {
  test('is refused from elsewhere like an invalid one, also as a session; the operator sees it in log and metrics', async () => {
    const { id, key } = await create({ tenant: 'acme', networks: ['192.0.2.0/24', '2001:db8::/32'] })
    for (const address of ['192.0.2.200', '::ffff:192.0.2.1', '2001:db8::5'])
      assert.equal(await statusOf(key, '/v1/domains', address), 200, address)
    const inside = await signIn(key, '192.0.2.1')
    assert.equal(inside.answer.statusCode, 200)
    const from = (remoteAddress: string) =>
      fixture.get('/v1/domains', null, { headers: { cookie: inside.cookie }, remoteAddress })
    assert.equal((await from('192.0.2.9')).statusCode, 200)

    const refused = await fixture.get('/v1/domains', key, { remoteAddress: '198.51.100.7' })
    assert.equal(refused.body, (await fixture.get('/v1/domains', 'rubbish')).body)
    assert.equal((await from('198.51.100.7')).statusCode, 401)
    assert.equal((await signIn(key, '198.51.100.7')).answer.statusCode, 401)
    const warnings = fixture.logLines.filter(({ msg, keyId }) => msg === 'key refused' && keyId === id)
    assert.deepEqual(
      warnings.map(({ level, reason, network }) => [level, reason, network]),
      Array.from({ length: 3 }, () => [40, 'network', '198.51.100.7']),
    )
    assert.match((await fixture.get('/metrics', null)).body, /envelog_key_refusals_total\{reason="network"\} 3/)
  })

  test('cannot be talked around by a header of a client that is not a trusted proxy', async () => {
    const { key } = await create({ tenant: 'acme', networks: ['192.0.2.0/24'] })
    const headers = { 'x-forwarded-for': '192.0.2.1', forwarded: 'for=192.0.2.1', 'x-real-ip': '192.0.2.1' }
    assert.equal((await fixture.get('/v1/domains', key, { headers })).statusCode, 401)
  })
})

/** These show secrets, so they need the scope admin. A new route under /v1/admin that reads belongs here or to the scope read. */
const SECRETS = [
  '/v1/admin/return-paths/key',
  '/v1/admin/tracking-secret',
  '/v1/admin/domains/:name/keys/:selector/private-key',
]

test('an operator key with the scope read may read all of the administration but secrets, and change nothing', async () => {
  const { key } = await create({ scopes: ['read'] })
  const { id } = (await post('erasures', { address: 'nobody@example.org' })).json<{ id: string }>()
  const routes = listRoutes(fixture.app).filter(({ url }) => url.startsWith('/v1/admin/'))
  for (const { method, url } of routes) {
    const path = url.replace(':name', 'acme.test').replace(':selector', 'current').replace(':id', id)
    const isRead = method === 'GET' || method === 'HEAD'
    const headers = { authorization: key }
    // A stream of events does not end.
    const answer = await fixture.app.inject({ method: method as 'GET', url: path, headers, payloadAsStream: true })
    answer.stream().destroy()
    // There is no message with the id; everything else exists.
    const found = url === '/v1/admin/messages/:id' ? 404 : 200
    const expected = isRead && !SECRETS.includes(url) ? found : 403
    assert.equal(answer.statusCode, expected, `${String(method)} ${url}`)
  }
})

describe('quotas', () => {
  const quotasOf = async (name: string) =>
    (await fixture.get('/v1/admin/tenants', fixture.operatorKey))
      .json<Tenants>()
      .tenants.find((one) => one.name === name)

  test('are set with the tenant or later, and listed with their use', async () => {
    const created = await post('tenants', { name: 'Umbrella', quotas: { domains: 1, keys: 1 } })
    const tenant = created.json<Tenant>()
    assert.deepEqual(tenant.quotas, { domains: 1, keys: 1, eventsPerDay: null })
    const changed = await post(`tenants/${tenant.id}`, { quotas: { keys: null, eventsPerDay: 1000 } })
    assert.deepEqual(changed.json<Tenant>().quotas, { domains: 1, keys: null, eventsPerDay: 1000 })
    await create({ tenant: 'Umbrella' })
    assert.deepEqual((await quotasOf('Umbrella'))?.use, { domains: 0, keys: 1, eventsToday: 0 })
    for (const quotas of [{ domains: -1 }, { domains: 1.5 }, { domains: 1e15 }, { domains: '5' }, { people: 5 }])
      assert.equal((await post(`tenants/${tenant.id}`, { quotas })).statusCode, 400, JSON.stringify(quotas))
    assert.equal((await post('tenants/nobodys', { quotas: {} })).statusCode, 404)
  })

  test('refuse the domain or key beyond them, also if several are created at once', async () => {
    await post('tenants', { name: 'Small', quotas: { domains: 1, keys: 2 } })
    const keys = await Promise.all(Array.from({ length: 5 }, () => post('keys', { tenant: 'Small' })))
    assert.deepEqual(
      keys.map(({ statusCode }) => statusCode).sort((a, b) => a - b),
      [201, 201, 429, 429, 429],
    )
    const names = ['one.test', 'two.test', 'three.test']
    const domains = await Promise.all(names.map((name) => post('domains', { name, tenant: 'Small' })))
    assert.deepEqual(
      domains.map(({ statusCode }) => statusCode).sort((a, b) => a - b),
      [201, 429, 429],
    )
    assert.deepEqual((await quotasOf('Small'))?.use, { domains: 1, keys: 2, eventsToday: null })
  })
})
