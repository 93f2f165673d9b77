import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AppFixture, openAppFixture } from '../../../../test/harness/app/app-fixture.ts'
import { CLAIM_RATE } from '../../../domains/registration/claim-domain.ts'
import { PROOF_MS } from '../../../domains/registration/unproven-domain.ts'
import type { Session } from '../session/session.wire.ts'
import type { DomainDetail, DomainSummaries } from './domains.wire.ts'
import type { DomainCheck } from './verify-domain.wire.ts'

const SCOPES = ['logs', 'domains', 'addDomains']

async function openScene(tenantsAddDomains = true) {
  const fixture = await openAppFixture({ tenantsAddDomains })
  const key = (await fixture.createKey(fixture.acme.tenant, SCOPES)).key
  const rivalKey = (await fixture.createKey(fixture.rival.tenant, SCOPES)).key
  const add = (name: string, by = key) => fixture.post('/v1/domains', by, { payload: JSON.stringify({ name }) })
  const remove = (name: string, by = key) =>
    fixture.app.inject({ method: 'DELETE', url: `/v1/domains/${name}`, headers: { authorization: by } })
  return { fixture, key, rivalKey, add, remove, [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose]() }
}

function publish({ dns }: AppFixture, { records }: DomainDetail): void {
  for (const { name, value } of records) dns.set(name, { kind: 'records', values: [value] })
}

/** Sends an event of the domain as a mail server does; returns whether it was accepted. */
async function isAccepted(fixture: AppFixture, name: string): Promise<boolean> {
  const payload = JSON.stringify(fixture.event({ domain_name: name }))
  const answer = await fixture.post('/ingest/events', fixture.operatorKey, { payload })
  return answer.json<{ stored: number }>().stored === 1
}

test('a tenant adds a domain and publishes its records; then its events are accepted', async () => {
  await using scene = await openScene()
  const { fixture, key, add } = scene
  const answer = await add('News.Acme.Example.')
  assert.equal(answer.statusCode, 201, answer.body)
  const added = answer.json<DomainDetail>()
  assert.deepEqual(
    [added.name, added.active, added.proven, added.status],
    ['news.acme.example', true, false, 'unverified'],
  )
  assert.equal(await isAccepted(fixture, added.name), false)
  const verify = async () => (await fixture.post(`/v1/domains/${added.name}/verify`, key)).json<DomainCheck>()
  assert.equal((await verify()).isVerified, false)
  publish(fixture, added)
  fixture.advance(2000)
  const check = await verify()
  assert.deepEqual([check.isVerified, check.domain.proven, check.domain.dmarcVerified], [true, true, true])
  assert.deepEqual(
    check.domain.history?.map(({ outcome, wrong, checks }) => [outcome, wrong, checks]),
    [
      ['all_right', [], 1],
      ['record_wrong', ['DKIM', 'SPF', 'DMARC'], 1],
    ],
  )
  fixture.advance(2000)
  assert.equal(await isAccepted(fixture, added.name), true)
  const events = (await fixture.get(`/v1/events?domain=${added.name}`, key)).json<{ events: unknown[] }>().events
  assert.equal(events.length, 1)
})

test('an unproven domain below the domain of another tenant gets none of its events', async () => {
  await using scene = await openScene()
  const { fixture, rivalKey, add } = scene
  assert.equal((await add('news.acme.test', rivalKey)).statusCode, 201)
  const payload = JSON.stringify({
    type: 'Delivery',
    id: 'a1',
    sender: 'anna@news.acme.test',
    recipient: 'bert@example.org',
    timestamp: Math.floor(fixture.nowMs / 1000),
    response: { code: 250, content: 'ok' },
  })
  const answer = await fixture.post('/ingest/kumomta', fixture.operatorKey, { payload })
  assert.deepEqual(answer.json<{ stored: number }>().stored, 1, answer.body)
  const count = async (key: string) =>
    (await fixture.get('/v1/events', key)).json<{ events: unknown[] }>().events.length
  assert.deepEqual([await count(rivalKey), await count(fixture.acme.key)], [0, 1])
})

test('a name that another tenant has is refused with the same words, however that tenant has it', async () => {
  await using scene = await openScene()
  const { fixture, rivalKey, add } = scene
  assert.equal((await add('reserved.example')).statusCode, 201)
  for (const name of ['acme.test', 'reserved.example']) {
    const answer = await add(name, rivalKey)
    assert.equal(answer.statusCode, 409)
    const { message } = answer.json<{ message: string }>()
    assert.equal(message, `The domain ${name} is not available. If it is yours, contact the operator.`)
  }
  assert.match((await add('reserved.example')).body, /You have already added/)
  fixture.advance(PROOF_MS)
  assert.equal((await add('reserved.example', rivalKey)).statusCode, 201)
  assert.equal((await add('acme.test', rivalKey)).statusCode, 409)
})

test('the operator’s domain takes the place of an unproven one of another tenant, and activation stands for the proof', async () => {
  await using scene = await openScene()
  const { fixture, key, rivalKey, add } = scene
  await add('squatted.example', rivalKey)
  const admin = (path: string, body?: object) =>
    fixture.post(`/v1/admin/domains${path}`, fixture.operatorKey, body ? { payload: JSON.stringify(body) } : {})
  const taken = await admin('', { name: 'squatted.example', tenant: fixture.acme.tenant.name, active: true })
  assert.equal(taken.statusCode, 201, taken.body)
  assert.equal((await fixture.get('/v1/domains/squatted.example', rivalKey)).statusCode, 404)
  assert.equal((await fixture.get('/v1/domains/squatted.example', key)).json<DomainDetail>().proven, true)
  await add('vouched.example')
  const activated = (await admin('/vouched.example/activate')).json<DomainDetail>()
  assert.deepEqual([activated.proven, activated.verified], [true, false])
  assert.equal(await isAccepted(fixture, 'vouched.example'), true)
})

test('a domain can be removed by its tenant until it is proven', async () => {
  await using scene = await openScene()
  const { fixture, key, rivalKey, add, remove } = scene
  await add('typo.example')
  assert.equal((await remove('typo.example', rivalKey)).statusCode, 404)
  assert.equal((await remove('typo.example')).statusCode, 204)
  const { domains } = (await fixture.get('/v1/domains', key)).json<DomainSummaries>()
  assert.deepEqual(
    domains.map(({ name }) => name),
    ['acme.test', 'mail.acme.test'],
  )
  assert.equal((await remove('acme.test')).statusCode, 409)
})

test('without the setting, the scope allows nothing', async () => {
  await using scene = await openScene(false)
  const { fixture, key, add, remove } = scene
  for (const answer of [await add('news.example'), await remove('acme.test')]) {
    assert.equal(answer.statusCode, 403)
    assert.match(answer.body, /ENVELOG_ADD_DOMAINS/)
  }
  assert.equal((await fixture.get('/v1/session', key)).json<Session>().addsDomains, false)
})

test('without the scope, the setting allows nothing; the session says who may add domains', async () => {
  await using scene = await openScene()
  const { fixture, key, add } = scene
  assert.equal((await add('news.example', fixture.acme.key)).statusCode, 403)
  const adds = async (by: string) => (await fixture.get('/v1/session', by)).json<Session>().addsDomains
  assert.deepEqual(
    [await adds(key), await adds(fixture.acme.key), await adds(fixture.operatorKey)],
    [true, false, false],
  )
})

test('bad names and too many domains are refused', async () => {
  await using scene = await openScene()
  const { fixture, rivalKey, add } = scene
  for (const name of ['', 'com', 'co.uk', '192.0.2.1', 'a b.example', `${'a'.repeat(300)}.example`]) {
    assert.equal((await add(name)).statusCode, 400, name)
  }
  await fixture.storage.control.keys.changeQuotas(fixture.acme.tenant.id, { domains: 3 })
  assert.equal((await add('one.example')).statusCode, 201)
  assert.equal((await add('two.example')).statusCode, 429)
  for (let attempt = 0; attempt < CLAIM_RATE.burst; attempt++) await add('acme.test', rivalKey)
  const limited = await add('three.example', rivalKey)
  assert.equal(limited.statusCode, 429)
  assert.match(limited.body, /Too many domains were added/)
})

test('each domain that a tenant adds or removes has its own entry in the audit log', async () => {
  await using scene = await openScene()
  const { fixture, add, remove } = scene
  await add('one.example')
  await add('two.example')
  await add('acme.test')
  await remove('one.example')
  await fixture.audit.flush()
  const { entries } = await fixture.storage.control.audit.list({ filters: {}, limit: 100 })
  const own = entries.filter(({ action }) => action.endsWith('OwnDomain'))
  assert.deepEqual(
    new Set(own.map(({ kind, action, object, outcome }) => [kind, action, object, outcome].join(' '))),
    new Set([
      'session addOwnDomain one.example success',
      'session addOwnDomain two.example success',
      'session addOwnDomain  refused',
      'session removeOwnDomain one.example success',
    ]),
  )
})
