import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openAppFixture } from '../../../../test/harness/app/app-fixture.ts'
import type { OwnQuotas } from './quotas.wire.ts'

test('a tenant sees its own quotas and what it uses of them', async () => {
  await using fixture = await openAppFixture()
  const { keys } = fixture.storage.control
  const get = async (key?: string) => {
    const answer = await fixture.get('/v1/quotas', key)
    assert.equal(answer.statusCode, 200, answer.body)
    return answer.json<OwnQuotas>()
  }
  const none = await get()
  assert.deepEqual(none.quotas, { domains: null, keys: null, eventsPerDay: null })
  assert.equal(none.use.eventsToday, null)
  assert.equal(none.resetsAt, '2026-01-16T00:00:00.000Z')

  await keys.changeQuotas(fixture.acme.tenant.id, { domains: 20, eventsPerDay: 1000 })
  await fixture.ingest([fixture.event({}), fixture.event({ recipient: 'other@example.org' })])
  const some = await get()
  assert.deepEqual(some.quotas, { domains: 20, keys: null, eventsPerDay: 1000 })
  const expected = (await keys.countUse(fixture.nowMs)).get(fixture.acme.tenant.id)
  assert.deepEqual(some.use, { ...expected, eventsToday: 2 })
  assert.deepEqual((await get(fixture.rival.key)).quotas, none.quotas)
})

test('an operator has none', async () => {
  await using fixture = await openAppFixture()
  const answer = await fixture.get('/v1/quotas', fixture.operatorKey)
  assert.equal(answer.statusCode, 403)
})
