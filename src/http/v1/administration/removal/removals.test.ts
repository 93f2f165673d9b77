/** Suspending, deactivating, removing and erasing over HTTP. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type AppFixture, openAppFixture } from '../../../../../test/harness/app/app-fixture.ts'
import { eventually } from '../../../../../test/harness/programs/tail-process.ts'
import { saveView } from '../../../../tenants/saved-views.ts'
import type { AuditPage } from '../audit/audit-log.wire.ts'
import type { AdminDomains } from '../domains/domains.wire.ts'
import type { Tenant, Tenants } from '../tenants.wire.ts'
import type { Removal, Removals } from './removals.wire.ts'

let fixture: AppFixture
beforeEach(async () => {
  fixture = await openAppFixture()
})
afterEach(() => fixture[Symbol.asyncDispose]())

const post = (path: string, body?: object) =>
  fixture.post(`/v1/admin/${path}`, fixture.operatorKey, body ? { payload: JSON.stringify(body) } : {})
const get = (path: string) => fixture.get(`/v1/admin/${path}`, fixture.operatorKey)
const remove = (path: string) =>
  fixture.app.inject({ method: 'DELETE', url: `/v1/admin/${path}`, headers: { authorization: fixture.operatorKey } })
const acmePath = (rest = '') => `tenants/${fixture.acme.tenant.id}${rest}`

async function send(...events: readonly object[]) {
  const answer = await fixture.post('/ingest/events', fixture.operatorKey, { payload: JSON.stringify(events) })
  assert.equal(answer.statusCode, 200)
  return answer.json<{ stored: number; rejected: readonly { index: number; error: string }[] }>()
}

async function finished(removal: Removal): Promise<Removal> {
  for (;;) {
    const now = (await get(`removals/${removal.id}`)).json<Removal>()
    if (now.state !== 'running') return now
    await delay(20)
  }
}

async function countEvents(domain: string, key?: string): Promise<number> {
  return (await fixture.get(`/webhooks/${domain}`, key)).json<{ count: number }>().count
}

describe('a suspended tenant', () => {
  test('gets 403 with every key and session until it is resumed, and other tenants notice nothing', async () => {
    const signedIn = await fixture.post('/v1/session', null, { payload: JSON.stringify({ key: fixture.acme.key }) })
    const cookie = String(signedIn.headers['set-cookie']).split(';')[0] ?? ''
    const ingestKey = (await fixture.createKey(fixture.acme.tenant, ['ingest'])).key
    const suspended = await post(acmePath('/suspend'))
    assert.equal(suspended.json<Tenant>().suspendedAt, new Date(fixture.nowMs).toISOString())
    for (const path of ['/webhooks/acme.test', '/v1/events', '/domain/stats', '/api/v2/domain']) {
      const answer = await fixture.get(path)
      assert.equal(answer.statusCode, 403, path)
      assert.match(answer.json<{ message: string }>().message, /suspended/)
    }
    assert.equal((await fixture.get('/v1/session', null, { headers: { cookie } })).statusCode, 403)
    const payload = JSON.stringify([fixture.event()])
    assert.equal((await fixture.post('/ingest/events', ingestKey, { payload })).statusCode, 403)
    assert.equal((await fixture.get('/v1/events', fixture.rival.key)).statusCode, 200)
    fixture.advance(60_000)
    assert.equal((await post(acmePath('/suspend'))).json<Tenant>().suspendedAt, suspended.json<Tenant>().suspendedAt)
    assert.equal((await post(acmePath('/resume'))).json<Tenant>().suspendedAt, null)
    assert.equal((await fixture.get('/v1/events')).statusCode, 200)
    assert.equal((await post('tenants/nobody/suspend')).statusCode, 404)
  })

  test('has its events quarantined, whole and for a replay; those of others are stored', async () => {
    await fixture.ingest([fixture.event()])
    await post(acmePath('/suspend'))
    const others = fixture.event({ domain_name: 'rival.test' })
    const result = await send(fixture.event(), others, fixture.event())
    assert.deepEqual(
      [result.stored, result.rejected],
      [1, [0, 2].map((index) => ({ index, error: 'the tenant is suspended' }))],
    )
    assert.equal((await post('quarantine/replay')).json<{ rejected: number }>().rejected, 2)
    await post(acmePath('/resume'))
    assert.equal((await post('quarantine/replay')).json<{ stored: number }>().stored, 2)
    assert.equal(await countEvents('acme.test'), 3)
  })
})

test('events of a deactivated domain are quarantined, its log stays readable, and activating it undoes both', async () => {
  await fixture.ingest([fixture.event()])
  assert.equal((await post('domains/ACME.test/deactivate')).json<{ active: boolean }>().active, false)
  // Domains are looked up again after a second.
  fixture.advance(1000)
  const mail = fixture.event({ domain_name: 'mail.acme.test' })
  const { stored, rejected } = await send(fixture.event(), mail)
  assert.deepEqual([stored, rejected], [1, [{ index: 0, error: 'domain_name: "acme.test" is deactivated' }]])
  assert.equal(await countEvents('acme.test'), 1)
  await post('domains/acme.test/activate')
  fixture.advance(1000)
  assert.equal((await post('quarantine/replay')).json<{ stored: number }>().stored, 1)
  assert.equal(await countEvents('acme.test'), 2)
  assert.equal((await post('domains/nowhere.test/deactivate')).statusCode, 404)
})

test('a tenant has a retention of its own: older events are refused, and null removes it', async () => {
  const old = () => fixture.event({ timestamp: Math.floor(fixture.nowMs / 1000) - 6 * 86_400 })
  await fixture.ingest([old()])
  const changed = await post(acmePath(), { retentionDays: 5 })
  assert.deepEqual([changed.statusCode, changed.json<Tenant>().retentionDays], [200, 5])
  assert.match((await send(old())).rejected[0]?.error ?? '', /older than the retention period of the tenant/)
  assert.equal((await send(fixture.event())).stored, 1)
  assert.equal((await post(acmePath(), { retentionDays: null })).json<Tenant>().retentionDays, null)
  assert.equal((await send(old())).stored, 1)
  // What was removed so far is examined again only if the retention has changed.
  const { id } = fixture.acme.tenant
  await fixture.storage.control.keys.changeTenant(id, { retentionDays: 5, expiredToMs: 1000 })
  for (const [change, expected] of [
    [{ retentionDays: 5 }, [5, 1000]],
    [{ quotas: { keys: 3 } }, [5, 1000]],
    [{ retentionDays: 6 }, [6, undefined]],
    [{ retentionDays: null }, [undefined, undefined]],
  ] as const) {
    await post(acmePath(), change)
    const { retentionDays, expiredToMs } = (await fixture.storage.control.keys.findTenant(id)) ?? {}
    assert.deepEqual([retentionDays, expiredToMs], expected)
  }
  for (const retentionDays of [0, 1.5, 40_000, '5']) {
    assert.equal((await post(acmePath(), { retentionDays })).statusCode, 400, String(retentionDays))
  }
  assert.equal((await post('tenants', { name: 'short', retentionDays: 7 })).json<Tenant>().retentionDays, 7)
})

test('a tenant is deleted only with its name, at once and with everything; others keep what they have', async () => {
  await fixture.ingest([fixture.event(), fixture.event(), fixture.event({ domain_name: 'rival.test' })])
  await send({ ...fixture.event(), type: 'nonsense' })
  const payload = JSON.stringify([{ ...fixture.event(), type: 'nonsense' }])
  const ingestKey = (await fixture.createKey(fixture.acme.tenant, ['ingest'])).key
  await fixture.post('/ingest/events', ingestKey, { payload })
  for (const confirm of ['', 'ACME', 'rival'])
    assert.equal((await remove(acmePath(`?confirm=${confirm}`))).statusCode, 400)
  assert.equal((await remove(acmePath())).statusCode, 400)
  assert.equal(await countEvents('acme.test'), 2)

  const begun = await remove(acmePath('?confirm=acme'))
  assert.equal(begun.statusCode, 202)
  assert.equal((await fixture.get('/webhooks/acme.test')).statusCode, 401)
  assert.deepEqual(
    (await get('tenants')).json<Tenants>().tenants.map(({ name }) => name),
    ['rival'],
  )
  assert.equal((await get('domains')).json<AdminDomains>().count, 2)
  const receipt = await finished(begun.json<Removal>())
  assert.deepEqual(
    [receipt.state, receipt.kind, receipt.object, receipt.events, receipt.quarantined],
    ['finished', 'tenant', fixture.acme.tenant.id, 2, 1],
  )
  assert.equal(await countEvents('rival.test', fixture.rival.key), 1)
  assert.equal((await remove(acmePath('?confirm=acme'))).statusCode, 404)

  // The audit log names the tenant and the receipt, and has the end of it.
  const entries = (await get('audit')).json<AuditPage>().entries.filter(({ action }) => /Removal|Tenant/.test(action))
  assert.deepEqual(
    entries.filter(({ outcome }) => outcome === 'success').map(({ action }) => action),
    ['finishRemoval', 'removeTenant'],
  )
  const names = [fixture.acme.tenant.name, fixture.acme.tenant.id, receipt.id]
  assert.ok(entries.every(({ object }) => names.some((name) => object?.includes(name))))
})

test('the name of a removed domain can be added again, and shows nothing of before', async () => {
  await fixture.ingest([fixture.event(), fixture.event()])
  assert.equal((await remove('domains/acme.test?confirm=mail.acme.test')).statusCode, 400)
  const begun = await remove('domains/Acme.test?confirm=acme.test')
  assert.equal(begun.statusCode, 202)
  const added = await post('domains', { name: 'acme.test', tenant: 'rival', active: true })
  assert.equal(added.statusCode, 201)
  assert.equal(await countEvents('acme.test', fixture.rival.key), 0)
  assert.equal((await fixture.get('/webhooks/acme.test')).statusCode, 400)
  fixture.advance(1000)
  const later = fixture.event()
  // Refused for a moment, if the day of both is just being rewritten.
  await eventually(() => fixture.ingest([later]).then(() => undefined, String))
  assert.equal((await finished(begun.json<Removal>())).events, 2)
  assert.equal(await countEvents('acme.test', fixture.rival.key), 1)
})

test('a recipient is erased with a receipt; its address is in no log, and counts stay', async () => {
  const address = 'Anna.Gone@Example.org'
  await fixture.ingest([fixture.event({ recipient: address }), fixture.event(), fixture.event({ recipient: address })])
  await send({ ...fixture.event({ recipient: address.toLowerCase() }), type: 'nonsense' })
  for (const wrong of ['', 'anna', 'a b@c.test', `${'x'.repeat(1000)}@b.test`]) {
    assert.equal((await post('erasures', { address: wrong })).statusCode, 400, wrong)
  }
  const { views } = fixture.storage.control
  const { id: keyId } = await fixture.createKey(fixture.acme.tenant)
  const save = (name: string, query: string) => saveView({ views, clock: () => 1 }, keyId, { name, query })
  await save('kept', 'q=bob@example.org')
  await save('encoded', `type=Bounce&recipient=${encodeURIComponent(address)}`)
  await save(`mail to ${address.toLowerCase()}`, '')
  const stats = (await fixture.get('/domain/stats')).json<{ domains: object }>().domains
  const begun = await post('erasures', { address: 'ANNA.gone@example.org' })
  assert.equal(begun.statusCode, 202)
  const receipt = await finished(begun.json<Removal>())
  assert.deepEqual(
    [receipt.state, receipt.events, receipt.quarantined, receipt.days.length, receipt.problems],
    ['finished', 2, 1, 1, []],
  )
  assert.match(receipt.object, /^sha256:[0-9a-f]{64}$/)
  assert.match(receipt.backups, /still contain it/)
  assert.equal(await countEvents('acme.test'), 1)
  assert.deepEqual(
    (await views.listViews(keyId)).map(({ name }) => name),
    ['kept'],
  )
  assert.deepEqual((await fixture.get('/domain/stats')).json<{ domains: object }>().domains, stats)
  const everything = [await get('audit'), await get('removals'), begun].map(({ body }) => body).join() + fixture.logText
  assert.ok(!everything.toLowerCase().includes('anna.gone'))
  assert.ok(everything.includes(receipt.object))
  const refused = (await get('audit?outcome=refused')).json<AuditPage>().entries
  assert.deepEqual(
    refused.map(({ action, object }) => [action, object]),
    Array.from({ length: 4 }, () => ['eraseRecipient', 'recipient']),
  )
  assert.equal((await get('removals')).json<Removals>().removals[0]?.id, receipt.id)
  assert.equal((await get('removals/unknown')).statusCode, 404)
})
