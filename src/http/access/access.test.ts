import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fastify, { type InjectOptions, type LightMyRequestResponse } from 'fastify'
import { type AppFixture, openAppFixture } from '../../../test/harness/app/app-fixture.ts'
import { mintApiKey } from '../../tenants/api-key.ts'
import type { AppDeps } from '../app-deps.ts'
import { type Access, guardRoutes, listRoutes } from './access.ts'

const SOME_UUID = '01234567-89ab-7def-8123-456789abcdef'

/** A concrete URL for every route, with another error in it: a caller who is refused must not learn about that error. */
const ADDRESSES: Record<string, string> = {
  '/webhooks/:domain': '/webhooks/nowhere.test?limit=rubbish',
  '/webhooks': '/webhooks',
  '/webhooks/': '/webhooks/',
  '/logs/:domain': '/logs/nowhere.test?type=rubbish',
  '/logs': '/logs',
  '/logs/': '/logs/',
  '/api/v2/domain': '/api/v2/domain?take=rubbish',
  '/api/v2/domain/:id/verify': '/api/v2/domain/rubbish/verify',
  '/domain/stats': '/domain/stats',
  '/ingest/events': '/ingest/events',
  '/ingest/report': '/ingest/report',
  '/ingest/:connector': '/ingest/rubbish',
  '/healthz': '/healthz',
  '/readyz': '/readyz',
  '/metrics': '/metrics',
  '/t/o/:token': '/t/o/rubbish',
  '/t/c/:token': '/t/c/rubbish',
  '/openapi/index.json': '/openapi/index.json',
  '/openapi/logs.json': '/openapi/logs.json',
  '/openapi/platform.json': '/openapi/platform.json',
  '/openapi/stats.json': '/openapi/stats.json',
  '/openapi/operations.json': '/openapi/operations.json',
  '/openapi/tracking.json': '/openapi/tracking.json',
  '/openapi/v1.json': '/openapi/v1.json',
  '/v1/session': '/v1/session',
  '/v1/events': '/v1/events?limit=rubbish',
  '/v1/events/stream': '/v1/events/stream?type=rubbish',
  '/v1/messages/:id': '/v1/messages/nobodys?domain=rubbish',
  '/v1/stats/series': '/v1/stats/series?bucket=rubbish',
  '/v1/domains': '/v1/domains',
  '/v1/domains/:name': '/v1/domains/nowhere.test',
  '/v1/domains/:name/verify': '/v1/domains/nowhere.test/verify',
  '/v1/admin/tenants': '/v1/admin/tenants',
  '/v1/admin/keys': '/v1/admin/keys',
  '/v1/admin/keys/:id': '/v1/admin/keys/rubbish',
  '/v1/admin/domains': '/v1/admin/domains?take=rubbish',
  '/v1/admin/domains/:name/activate': '/v1/admin/domains/nowhere.test/activate',
  '/v1/admin/domains/:name': '/v1/admin/domains/nowhere.test',
  '/v1/admin/domains/:name/verify': '/v1/admin/domains/nowhere.test/verify',
  '/v1/admin/domains/:name/keys': '/v1/admin/domains/nowhere.test/keys',
  '/v1/admin/domains/:name/keys/:selector/promote': '/v1/admin/domains/nowhere.test/keys/x/promote',
  '/v1/admin/domains/:name/keys/:selector/retire': '/v1/admin/domains/nowhere.test/keys/x/retire',
  '/v1/admin/domains/:name/keys/:selector/private-key': '/v1/admin/domains/nowhere.test/keys/x/private-key',
  '/v1/admin/ingest': '/v1/admin/ingest',
  '/v1/admin/quarantine': '/v1/admin/quarantine?limit=rubbish',
  '/v1/admin/quarantine/replay': '/v1/admin/quarantine/replay',
  '/v1/admin/storage': '/v1/admin/storage',
  '/v1/admin/return-paths': '/v1/admin/return-paths',
  '/v1/admin/return-paths/verify': '/v1/admin/return-paths/verify',
  '/v1/admin/return-paths/key': '/v1/admin/return-paths/key',
  '/v1/admin/tracking-secret': '/v1/admin/tracking-secret',
  '/v1/admin/backup': '/v1/admin/backup',
  '/v1/admin/secrets': '/v1/admin/secrets',
  '/v1/admin/secrets/rotate': '/v1/admin/secrets/rotate',
  '/v1/admin/secrets/:id': '/v1/admin/secrets/rubbish',
  '/v1/admin/sessions/end': '/v1/admin/sessions/end',
  '/v1/admin/recount': '/v1/admin/recount',
  '/': '/',
  '/overview': '/overview',
  '/log': '/log?q=rubbish',
  '/domains': '/domains',
  '/domains/:name': '/domains/nowhere.test',
  '/operator': '/operator',
  '/operator/:page': '/operator/rubbish',
  '/assets/*': '/assets/icon.svg',
  '/docs': '/docs',
  '/docs/': '/docs/',
  '/docs/start.js': '/docs/start.js',
  '/docs/scalar.js': '/docs/scalar.js',
}

interface Target {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'DELETE'
  readonly url: string
  readonly access: Access
}

let fixture: AppFixture
let targets: readonly Target[]

before(async () => {
  fixture = await openAppFixture()
  targets = listRoutes(fixture.app).map(({ method, url, config }) => {
    const address = ADDRESSES[url]
    assert(address, `${url} has no row in this test: add one`)
    assert(config?.access)
    return { method: method as Target['method'], url: address, access: config.access }
  })
})
after(() => fixture[Symbol.asyncDispose]())

const closed = () => targets.filter(({ access }) => access !== 'public')

function call({ method, url }: Target, authorization: string | undefined): Promise<LightMyRequestResponse> {
  const options: InjectOptions = { method, url, ...(authorization !== undefined && { headers: { authorization } }) }
  return fixture.app.inject(options)
}

function assertRefused({ method, url }: Target, answer: LightMyRequestResponse, message: RegExp, status = 401): void {
  assert.equal(answer.statusCode, status, `${method} ${url}`)
  if (status === 401) assert.match(String(answer.headers['www-authenticate']), /^Bearer/)
  if (method === 'HEAD') return
  const body = answer.json<{ error: number; message: string }>()
  assert.deepEqual(Object.keys(body), ['error', 'message'])
  assert.equal(body.error, status)
  assert.match(body.message, message, `${method} ${url}`)
}

test('every path tested here is a route', () => {
  const urls = new Set(listRoutes(fixture.app).map(({ url }) => url))
  assert.deepEqual(
    Object.keys(ADDRESSES).filter((url) => !urls.has(url)),
    [],
  )
})

test('without a key, every protected route answers 401 before it examines anything else', async () => {
  assert(closed().length >= 15)
  for (const target of closed()) assertRefused(target, await call(target, undefined), /^Missing Authorization header/)
  for (const target of closed()) assertRefused(target, await call(target, ' '), /^Missing Authorization header/)
})

test('a malformed, mistyped, unknown or revoked key is refused with the same message', async () => {
  const revoked = await fixture.createKey(fixture.acme.tenant)
  await fixture.storage.control.keys.revokeKey(revoked.id, fixture.nowMs)
  const mistyped = `${fixture.acme.key.slice(0, -1)}${fixture.acme.key.endsWith('a') ? 'b' : 'a'}`
  const keys = [
    'rubbish',
    'Bearer',
    'Basic YTpi',
    '\u00ff',
    mistyped,
    mintApiKey().key,
    revoked.key,
    `Bearer ${revoked.key}`,
  ]
  for (const target of closed()) {
    for (const key of keys) assertRefused(target, await call(target, key), /^Invalid API key$/)
  }
})

test("a key without the route's scope is refused, with 401, or 403 under /v1, whatever other scopes it has", async () => {
  const scopes = {
    logs: 'tenant',
    domains: 'tenant',
    domainStats: 'tenant',
    ingest: 'operator',
    admin: 'operator',
  } as const
  const keys = await Promise.all(
    Object.entries(scopes).map(async ([scope, kind]) => {
      const { key } = await fixture.createKey(kind === 'tenant' ? fixture.acme.tenant : 'operator', [scope])
      return { scope, key }
    }),
  )
  for (const target of closed()) {
    const refusedWith = target.url.startsWith('/v1/') ? 403 : 401
    for (const { scope, key } of keys) {
      const answer = await call(target, key)
      const needed = target.access === 'key' ? scope : (Object.values(target.access)[0] as string)
      // Refused for another reason: not allowed over the network with any key.
      if (scope === needed && target.url === '/v1/admin/backup') assert.equal(answer.statusCode, 403)
      else if (scope === needed) assert(![401, 403].includes(answer.statusCode), `${target.url} with ${scope}`)
      else assertRefused(target, answer, new RegExp(`scope ${needed}$`), refusedWith)
    }
  }
})

test('the bare key and a Bearer token are both accepted', async () => {
  for (const authorization of [fixture.acme.key, `Bearer ${fixture.acme.key}`, `bearer  ${fixture.acme.key}`]) {
    const answer = await fixture.app.inject({ url: '/domain/stats', headers: { authorization } })
    assert.equal(answer.statusCode, 200)
  }
})

test('public routes need no key, and ignore any that is sent', async () => {
  for (const target of targets.filter(({ access }) => access === 'public')) {
    // Signing in needs a key too, but in the body.
    // This app has no built console, so there is a page but no files. An unsigned link is 404.
    const expected = /^\/(?:assets|t\/c)\//.test(target.url) ? 404 : target.method === 'POST' ? 400 : 200
    assert.equal((await call(target, undefined)).statusCode, expected, target.url)
    assert.equal((await call(target, 'rubbish')).statusCode, expected, target.url)
  }
})

describe("the response for another tenant's domain is byte for byte that for a domain that does not exist", () => {
  const spellings = ['NAME', 'NAME.', 'Name', '%6e%61me'] as const
  const spell = (spelling: (typeof spellings)[number], name: string) =>
    ({ NAME: name.toUpperCase(), 'NAME.': `${name}.`, Name: name, '%6e%61me': name.replace('.', '%2e') })[spelling]

  for (const path of ['/webhooks/', '/logs/']) {
    for (const query of ['', '?message_id=x', '?type=Bounce', '?next_token=x', '?limit=1']) {
      test(`${path}{domain}${query}`, async () => {
        const missing = await fixture.get(`${path}nowhere.test${query}`)
        assert.equal(missing.statusCode, 400)
        assert.equal(missing.body, '{"error":400,"message":"Domain not found"}')
        for (const spelling of spellings) {
          const foreign = await fixture.get(`${path}${spell(spelling, 'rival.test')}${query}`)
          assert.equal(foreign.statusCode, 400)
          assert.equal(foreign.body, missing.body)
          assert.deepEqual(withoutVolatile(foreign.headers), withoutVolatile(missing.headers))
        }
      })
    }
  }

  test("verify by id: an unknown id, another tenant's id, and text that is not an id", async () => {
    const foreignId = fixture.rival.domains[0].id
    const missing = await fixture.post(`/api/v2/domain/${SOME_UUID}/verify`)
    assert.equal(missing.statusCode, 400)
    for (const id of [
      foreignId,
      foreignId.toUpperCase(),
      'rubbish',
      '%00',
      `${foreignId}x`,
      'rival.test',
      'x'.repeat(3000),
    ]) {
      const foreign = await fixture.post(`/api/v2/domain/${id}/verify`)
      assert.equal(foreign.body, missing.body, id)
      assert.deepEqual(withoutVolatile(foreign.headers), withoutVolatile(missing.headers))
    }
    assert.equal((await fixture.storage.control.domains.findById(foreignId))?.lastVerificationCheckedAtMs, undefined)
  })

  test("a message of another tenant's domain is not found under the caller's own domain", async () => {
    const event = fixture.event({ domain_name: 'rival.test' })
    await fixture.ingest([event])
    const answer = await fixture.get(`/webhooks/acme.test?message_id=${event.id}`)
    const unknown = await fixture.get(`/webhooks/acme.test?message_id=${SOME_UUID}`)
    assert.equal(answer.body.replace(event.id, SOME_UUID), unknown.body)
  })

  test('no listing includes it', async () => {
    for (const url of ['/domain/stats', '/api/v2/domain']) {
      const answer = await fixture.get(url)
      assert.equal(answer.statusCode, 200)
      assert(!answer.body.includes('rival'), url)
    }
  })

  test('its own tenant finds it in any letter case, and an internationalized name in both forms', async () => {
    for (const spelling of spellings) {
      const url = `/webhooks/${spell(spelling, 'acme.test')}`
      assert.equal((await fixture.get(url)).statusCode, 200, url)
    }
    const [domain] = fixture.acme.domains
    await fixture.storage.control.domains.create({ ...domain, id: SOME_UUID, name: 'xn--mnchen-3ya.test' })
    for (const name of ['münchen.test', 'MÜNCHEN.test.', 'xn--mnchen-3ya.test', 'XN--MNCHEN-3YA.test']) {
      const answer = await fixture.get(`/webhooks/${encodeURIComponent(name)}`)
      assert.equal(answer.statusCode, 200, name)
      const foreign = await fixture.get(`/webhooks/${encodeURIComponent(name)}`, fixture.rival.key)
      assert.equal(foreign.body, '{"error":400,"message":"Domain not found"}', name)
    }
  })
})

function withoutVolatile({ date: _date, 'x-request-id': _id, ...rest }: LightMyRequestResponse['headers']) {
  return rest
}

describe('a surface with a host name of its own', () => {
  let restricted: AppFixture
  before(async () => {
    restricted = await openAppFixture({
      hosts: { logs: 'logs.example', stats: 'Stats.Example', platform: 'api.example' },
    })
  })
  after(() => restricted[Symbol.asyncDispose]())

  const surfaces: [string, string][] = [
    ['/webhooks/acme.test', 'logs.example'],
    ['/logs/acme.test', 'logs.example'],
    ['/domain/stats', 'stats.example'],
    ['/api/v2/domain', 'api.example'],
  ]
  for (const [url, host] of surfaces) {
    test(`${url} is served under ${host}, whatever the port and letter case`, async () => {
      for (const written of [host, host.toUpperCase(), `${host}:8025`, `${host}.`, `${host}.:8025`]) {
        const answer = await restricted.get(url, undefined, { headers: { host: written } })
        assert.equal(answer.statusCode, 200, written)
      }
    })

    test(`${url} under another host gets the response of an unknown route, with and without a key`, async () => {
      const unknown = await restricted.get('/nothing/here', null)
      assert.equal(unknown.statusCode, 404)
      for (const written of ['other.example', 'localhost:80', `x${host}`, `${host}.evil`, `[::1]:80`, '']) {
        for (const key of [null, restricted.acme.key, 'rubbish']) {
          const answer = await restricted.get(url, key, { headers: { host: written } })
          assert.equal(answer.statusCode, 404, written)
          assert.equal(answer.body, unknown.body)
          assert.deepEqual(withoutVolatile(answer.headers), withoutVolatile(unknown.headers))
        }
      }
    })
  }

  test('ingest, health and documentation are served under every host', async () => {
    for (const url of ['/healthz', '/docs', '/openapi/logs.json']) {
      assert.equal((await restricted.get(url, null, { headers: { host: 'whatever' } })).statusCode, 200, url)
    }
    await restricted.ingest([restricted.event()])
  })
})

test('an app with a route that does not declare who may call it fails to start', async () => {
  for (const config of [undefined, {}, { surface: 'logs' }, { access: 'public' }] as const) {
    const app = fastify()
    guardRoutes(app, {} as AppDeps)
    app.register(async (scope) => void scope.get('/forgotten', { ...(config && { config }) }, async () => 'secret'))
    await assert.rejects(async () => app.ready(), /These routes declare no access or no surface.*GET \/forgotten/)
    await app.close()
  }
})
