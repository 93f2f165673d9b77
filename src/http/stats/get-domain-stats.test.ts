import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openAppFixture } from '../../../test/harness/app/app-fixture.ts'
import { EVENT_TYPES } from '../../events/event.ts'

test('every domain of the tenant is listed, with zeros and null if it has no events', async () => {
  await using fixture = await openAppFixture()
  const nothing = { counts: { bounce: 0, delivery: 0, reception: 0 }, lastUpdated: null }
  const answer = await fixture.get('/domain/stats')
  assert.equal(answer.statusCode, 200)
  assert.deepEqual(answer.json(), {
    client_id: fixture.acme.tenant.clientId,
    domains: { 'acme.test': nothing, 'mail.acme.test': nothing },
    total_domains: 2,
  })
})

test('an acknowledged event is in the next response; types without a counter are not counted', async () => {
  await using fixture = await openAppFixture()
  fixture.advance(5000)
  await fixture.ingest([...EVENT_TYPES.map((type) => fixture.event({ type })), fixture.event({ type: 'Delivery' })])
  const { domains } = (await fixture.get('/domain/stats')).json<{ domains: Record<string, unknown> }>()
  assert.deepEqual(domains['acme.test'], {
    counts: { bounce: 1, delivery: 2, reception: 1 },
    lastUpdated: '2026-01-15T12:00:05.000Z',
  })
})

test('parameters and a body are ignored', async () => {
  await using fixture = await openAppFixture()
  const plain = await fixture.get('/domain/stats')
  const noisy = await fixture.get('/domain/stats?a=1&a=2&limit=x', undefined, {
    payload: '{',
    headers: { 'content-type': 'application/json' },
  })
  assert.equal(noisy.body, plain.body)
})

test('a tenant without domains gets an empty map', async () => {
  await using fixture = await openAppFixture()
  const tenant = { id: '01234567-89ab-7def-8123-456789abcdef', clientId: 'client_new', name: 'new', createdAtMs: 0 }
  await fixture.storage.control.keys.createTenant(tenant)
  const { key } = await fixture.createKey(tenant)
  const answer = await fixture.get('/domain/stats', key)
  assert.deepEqual(answer.json(), { client_id: 'client_new', domains: {}, total_domains: 0 })
})
