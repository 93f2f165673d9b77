/** How access is checked in detail; isolation.test.ts walks all routes with all credentials. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fastify, { type LightMyRequestResponse } from 'fastify'
import { type AppFixture, openAppFixture } from '../../../test/harness/app/app-fixture.ts'
import type { AppDeps } from '../app-deps.ts'
import { guardRoutes } from './access.ts'

const SOME_UUID = '01234567-89ab-7def-8123-456789abcdef'

let fixture: AppFixture

before(async () => {
  fixture = await openAppFixture()
})
after(() => fixture[Symbol.asyncDispose]())

test('the bare key and a Bearer token are both accepted', async () => {
  for (const authorization of [fixture.acme.key, `Bearer ${fixture.acme.key}`, `bearer  ${fixture.acme.key}`]) {
    const answer = await fixture.app.inject({ url: '/domain/stats', headers: { authorization } })
    assert.equal(answer.statusCode, 200)
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
