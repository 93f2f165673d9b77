import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { LightMyRequestResponse } from 'fastify'
import { type AppFixture, openAppFixture } from '../../../../test/harness/app/app-fixture.ts'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { listRoutes } from '../../access/access.ts'
import type { AdminDomainDetail, AdminDomains } from './domains/domains.wire.ts'
import type { IngestHealth } from './ingest.wire.ts'
import type { ApiKeys, CreatedKey } from './keys.wire.ts'
import type { Dropped, Quarantine, Replay } from './quarantine.wire.ts'
import type { StorageUse } from './storage.wire.ts'
import type { Tenant, Tenants } from './tenants.wire.ts'

let fixture: AppFixture
let adminKey: string
before(async () => {
  fixture = await openAppFixture()
  adminKey = (await fixture.createKey('operator', ['admin'])).key
})
after(() => fixture[Symbol.asyncDispose]())

const get = (path: string) => fixture.get(`/v1/admin/${path}`, adminKey)
const post = (path: string, body?: object) =>
  fixture.post(`/v1/admin/${path}`, adminKey, body ? { payload: JSON.stringify(body) } : {})
const remove = (path: string): Promise<LightMyRequestResponse> =>
  fixture.app.inject({ method: 'DELETE', url: `/v1/admin/${path}`, headers: { authorization: adminKey } })

test('a tenant’s key or session gets 403 on every operator’s route, and an operator’s on every tenant’s route', async () => {
  const admin = listRoutes(fixture.app).filter(({ url }) => url.startsWith('/v1/admin/'))
  assert(admin.length >= 12)
  const signedIn = await fixture.post('/v1/session', null, { payload: JSON.stringify({ key: fixture.acme.key }) })
  const cookie = String(signedIn.headers['set-cookie']).split(';')[0] ?? ''
  const { csrfToken } = signedIn.json<{ csrfToken: string }>()
  const session = { cookie, 'x-csrf-token': csrfToken, 'sec-fetch-site': 'same-origin' }
  for (const { method, url } of admin) {
    for (const headers of [{ authorization: fixture.acme.key }, session]) {
      const answer = await fixture.app.inject({ method: method as 'GET', url, headers })
      assert.equal(answer.statusCode, 403, `${String(method)} ${url}`)
    }
  }
  for (const path of ['/v1/events', '/v1/domains', '/v1/stats/series', '/v1/messages/x', '/v1/events/stream']) {
    assert.equal((await fixture.get(path, adminKey)).statusCode, 403, path)
  }
})

test('a signed-in operator can administer from our own pages only', async () => {
  const signedIn = await fixture.post('/v1/session', null, { payload: JSON.stringify({ key: adminKey }) })
  const cookie = String(signedIn.headers['set-cookie']).split(';')[0] ?? ''
  const { csrfToken } = signedIn.json<{ csrfToken: string }>()
  const create = (name: string, headers: Record<string, string>) =>
    fixture.post('/v1/admin/tenants', null, { payload: JSON.stringify({ name }), headers: { cookie, ...headers } })
  assert.equal((await create('forged', { 'sec-fetch-site': 'cross-site', 'x-csrf-token': csrfToken })).statusCode, 403)
  assert.equal((await create('forged', { 'sec-fetch-site': 'same-origin' })).statusCode, 403)
  const created = await create('Initech', { 'sec-fetch-site': 'same-origin', 'x-csrf-token': csrfToken })
  assert.equal(created.statusCode, 201)
  const { tenants } = (await get('tenants')).json<Tenants>()
  assert.deepEqual(
    tenants.map(({ name }) => name),
    ['Initech', 'acme', 'rival'],
  )
})

test('tenants are created and listed; a name in use is 409, an invalid one 400', async () => {
  const created = await post('tenants', { name: 'Globex' })
  assert.equal(created.statusCode, 201)
  const { tenants } = (await get('tenants')).json<Tenants>()
  assert.deepEqual(
    tenants.map(({ name }) => name),
    ['Globex', 'Initech', 'acme', 'rival'],
  )
  const use = { domains: 0, keys: 0, eventsToday: null }
  assert.deepEqual(tenants[0], { ...created.json<Tenant>(), use })
  assert.equal((await post('tenants', { name: 'Globex' })).statusCode, 409)
  assert.equal((await post('tenants', { name: 'ACME' })).statusCode, 409)
  assert.equal((await post('tenants', { name: '' })).statusCode, 400)
  assert.equal((await post('tenants', { name: 5 })).statusCode, 400)
  assert.equal((await post('tenants')).statusCode, 400)
})

describe('keys', () => {
  test('a key is shown once, works, is listed without its secret, and is refused once revoked', async () => {
    fixture.advance(1000)
    const answer = await post('keys', { tenant: 'acme', scopes: ['logs'] })
    assert.equal(answer.statusCode, 201)
    const { id, key, scopes } = answer.json<CreatedKey>()
    assert.deepEqual(scopes, ['logs'])
    assert.equal((await fixture.get('/v1/events', key)).statusCode, 200)
    const listed = await get('keys')
    const [newest] = listed.json<ApiKeys>().keys
    assert.deepEqual(
      [newest?.id, newest?.tenant?.name, newest?.lastUsedAt, newest?.revokedAt],
      [id, 'acme', new Date(fixture.nowMs).toISOString(), null],
    )
    assert(!listed.body.includes(key.split('_')[2] ?? '?') && !/hash/i.test(listed.body))
    assert.equal((await remove(`keys/${id}`)).statusCode, 204)
    assert.equal((await fixture.get('/v1/events', key)).statusCode, 401)
    assert.equal((await remove(`keys/${id}`)).statusCode, 204)
    assert.notEqual((await get('keys')).json<ApiKeys>().keys.find((one) => one.id === id)?.revokedAt, null)
  })

  test('omitted fields have defaults; invalid ones are refused', async () => {
    assert.deepEqual((await post('keys', { tenant: 'acme' })).json<CreatedKey>().scopes, [
      'logs',
      'domains',
      'domainStats',
    ])
    assert.deepEqual((await post('keys', { scopes: ['ingest'] })).json<CreatedKey>().scopes, ['ingest'])
    assert.equal((await post('keys', {})).statusCode, 400)
    assert.equal((await post('keys', { tenant: 'acme', scopes: ['admin'] })).statusCode, 400)
    assert.equal((await post('keys', { tenant: 'acme', scopes: 'logs' })).statusCode, 400)
    assert.equal((await post('keys', { tenant: 'nobody' })).statusCode, 404)
    assert.equal((await remove('keys/unknown')).statusCode, 404)
  })
})

test('domains are added with their records, listed with their tenants, and activated', async () => {
  const added = await post('domains', { name: 'News.Acme.test', tenant: 'acme', description: '<b>' })
  assert.equal(added.statusCode, 201)
  const detail = added.json<AdminDomainDetail>()
  assert.deepEqual([detail.name, detail.active, detail.tenant.name], ['news.acme.test', false, 'acme'])
  assert(detail.records.some(({ purpose }) => purpose === 'DKIM'))
  const activated = await post('domains/NEWS.acme.test/activate')
  assert.deepEqual([activated.statusCode, activated.json<AdminDomainDetail>().active], [200, true])

  const { domains, count } = (await get('domains?take=2&skip=1')).json<AdminDomains>()
  assert.deepEqual([domains.map(({ name }) => name), count], [['mail.acme.test', 'mail.rival.test'], 5])
  const rivals = (await get('domains?tenant=rival')).json<AdminDomains>()
  assert.deepEqual([rivals.domains.map(({ tenant }) => tenant.name), rivals.count], [['rival', 'rival'], 2])

  assert.equal((await post('domains', { name: 'acme.test', tenant: 'rival' })).statusCode, 409)
  assert.equal((await post('domains', { name: 'co.uk', tenant: 'rival' })).statusCode, 400)
  assert.equal((await post('domains', { name: 'x.test', tenant: 'nobody' })).statusCode, 404)
  assert.equal((await post('domains', { name: 'x.test' })).statusCode, 400)
  assert.equal((await post('domains/nowhere.test/activate')).statusCode, 404)
  assert.equal((await get('domains?tenant=nobody')).statusCode, 404)
})

test('ingest is reported minute by minute, with the number of quarantined records', async () => {
  const before = (await get('ingest')).json<IngestHealth>()
  assert.deepEqual([before.writable, before.queued, before.minutes.length], [true, 0, 60])
  assert.deepEqual([before.lastEventAt, before.lastStoredAt, before.quarantined], [null, null, 0])
  const event = fixture.event()
  await fixture.ingest([event, fixture.event({ timestamp: event.timestamp - 5 })])
  await fixture.post('/ingest/events', fixture.operatorKey, { payload: JSON.stringify([event, { rubbish: 1 }]) })
  const health = (await get('ingest')).json<IngestHealth>()
  const { time: _, ...counts } = health.minutes.at(-1) ?? { time: '' }
  assert.deepEqual(counts, { stored: 2, duplicates: 1, rejected: 1 })
  assert.equal(health.lastEventAt, new Date(event.timestamp * 1000).toISOString())
  assert.equal(health.lastStoredAt, new Date(fixture.nowMs).toISOString())
  assert.equal(health.quarantined, 1)
})

test('rejected records are listed in pages, as they were sent, and can be replayed', async () => {
  const late = fixture.event({ domain_name: 'later.test' })
  const payload = [JSON.stringify(late), '{"rubbish":"<script>"}', JSON.stringify({ big: 'x'.repeat(20_000) })].join(
    '\n',
  )
  await fixture.post('/ingest/events', fixture.operatorKey, { payload })
  const first = (await get('quarantine?limit=2')).json<Quarantine>()
  assert.deepEqual([first.records.length, first.count], [2, 4])
  const second = (await get(`quarantine?limit=2&cursor=${first.next}`)).json<Quarantine>()
  assert.equal(second.next, null)
  const shown = [...first.records, ...second.records]
  assert.equal(shown[1]?.payload, JSON.stringify(late))
  assert.deepEqual([shown[3]?.isCut, shown[3]?.payload.length], [true, 16_384])

  await post('domains', { name: 'later.test', tenant: 'acme' })
  const [replay, shared] = await Promise.all([post('quarantine/replay'), post('quarantine/replay')])
  assert.deepEqual(replay.json<Replay>(), { replayed: 4, stored: 1, duplicates: 0, rejected: 3 })
  assert.equal(shared.body, replay.body)
  assert.equal((await get('quarantine')).json<Quarantine>().count, 3)
  assert.equal((await get('quarantine?cursor=x')).statusCode, 400)
})

test('full payloads are returned on request, in pages of limited size', async () => {
  const shown = (await get('quarantine?whole=true')).json<Quarantine>().records
  assert.deepEqual(
    shown.map(({ isCut }) => isCut),
    [false, false, false],
  )
  assert.equal(shown[2]?.payload, JSON.stringify({ big: 'x'.repeat(20_000) }))
  const payload = ['a', 'b'].map((letter) => JSON.stringify({ big: letter.repeat(3 * 1024 * 1024) })).join('\n')
  await fixture.post('/ingest/events', fixture.operatorKey, { payload })
  const first = (await get('quarantine?whole=true')).json<Quarantine>()
  assert.equal(first.records.length, 4)
  const second = (await get(`quarantine?whole=true&cursor=${first.next}`)).json<Quarantine>()
  assert.deepEqual([second.records.length, second.next], [1, null])
  const limited = (await get('quarantine?whole=true&limit=1')).json<Quarantine>()
  assert.deepEqual([limited.records.length, limited.next], [1, String(limited.records[0]?.id)])
})

test('rejected records are deleted by id, by format or all together, and only if the request says which', async () => {
  const { records } = (await get('quarantine')).json<Quarantine>()
  const [first, second] = records.map(({ id }) => id)
  const dropped = async (query: string) => (await remove(`quarantine?${query}`)).json<Dropped>().dropped
  assert.equal(await dropped(`id=${first}&id=${second}&id=${second}&id=999999`), 2)
  assert.equal(await dropped(`id=${first}`), 0)
  assert.equal(await dropped('connector=kumomta'), 0)
  assert.equal((await get('quarantine')).json<Quarantine>().count, records.length - 2)
  const wrong = ['', 'all=false', 'all=true&id=1', 'connector=native&all=true', 'id=x', 'id=0', 'connector=']
  for (const query of [...wrong, 'source=nobody', 'source=local&all=true']) {
    assert.equal((await remove(`quarantine?${query}`)).statusCode, 400, query)
  }
  assert.equal(await dropped('connector=native'), records.length - 2)
  await fixture.post('/ingest/events', fixture.operatorKey, { payload: '{"rubbish":2}' })
  const { bytes, bytesMax, sources, records: left } = (await get('quarantine')).json<Quarantine>()
  assert.match(left[0]?.source ?? '', /^key \w+$/)
  assert.deepEqual(sources, [{ source: left[0]?.source, records: 1, bytes: 525 }])
  assert.deepEqual([bytes, bytesMax], [525, 2 ** 30])
  assert.match((await fixture.get('/metrics', null)).body, /^envelog_quarantine_bytes 525$/m)
  assert.equal(await dropped('source=local'), 0)
  assert.equal(await dropped(`source=${encodeURIComponent(left[0]?.source ?? '')}`), 1)
  await fixture.post('/ingest/events', fixture.operatorKey, { payload: '{"rubbish":3}' })
  assert.equal(await dropped('all=true'), 1)
})

test('storage is reported day by day', async () => {
  await fixture.ingest([fixture.event({ timestamp: Math.floor(fixture.nowMs / 1000) - 3 * 86_400 })])
  const { days, bytes, events, retentionDays } = (await get('storage')).json<StorageUse>()
  assert.deepEqual(
    days.map(({ day, events: counted }) => [day, counted]),
    [
      ['2026-01-15', 3],
      ['2026-01-12', 1],
    ],
  )
  assert.equal(
    bytes,
    days.reduce((sum, day) => sum + day.bytes, 0),
  )
  assert(days.every((day) => day.bytes > 10_000))
  assert.deepEqual([events, retentionDays], [4, 90])
})

test('storage says when the last backup was complete, and not where it is', async () => {
  const lastBackup = async () => (await get('storage')).json<StorageUse>().lastBackup
  assert.equal(await lastBackup(), null)
  using folder = openTemporaryFolder()
  await fixture.storage.capabilities.backup?.run({ folder: join(folder.path, 'backups') })
  const last = await lastBackup()
  assert(last && last.bytes > 10_000)
  assert.deepEqual(Object.keys(last).sort(), ['bytes', 'finishedAt', 'problems'])
  assert.deepEqual([last.problems, Number.isNaN(Date.parse(last.finishedAt))], [0, false])
})

test('tenants are ordered by their domains, and by their keys', async () => {
  await using other = await openAppFixture()
  const create = async (path: string, thing: object) => {
    const payload = JSON.stringify(thing)
    assert.equal((await other.post(`/v1/admin/${path}`, other.operatorKey, { payload })).statusCode, 201)
  }
  // Neither order is that of the names.
  await create('tenants', { name: 'zebra' })
  for (const name of ['a', 'b', 'c', 'd']) {
    await create('domains', { name: `${name}.zebra.test`, tenant: 'zebra' })
    await create('keys', { name, tenant: 'rival' })
  }
  const firstBy = async (order: string) => {
    const answer = await other.get(`/v1/admin/tenants?sort=${order}&take=2`, other.operatorKey)
    return answer.json<Tenants>().tenants.map(({ name }) => name)
  }
  assert.deepEqual(await firstBy('-domains'), ['zebra', 'acme'])
  assert.deepEqual(await firstBy('-keys'), ['rival', 'acme'])
})

test('tenants and keys are searched, ordered and read page by page', async () => {
  await using other = await openAppFixture()
  const ask = async (path: string) =>
    (await other.get(`/v1/admin/${path}`, other.operatorKey)).json<Tenants & ApiKeys>()
  for (const name of ['Ümlaut', 'zebra']) {
    other.advance(1000)
    await other.post('/v1/admin/tenants', other.operatorKey, { payload: JSON.stringify({ name }) })
  }
  const namesOf = async (query: string) => {
    const { tenants, count } = await ask(`tenants?${query}`)
    return [count, ...tenants.map(({ name }) => name)]
  }
  assert.deepEqual(await namesOf(''), [4, 'acme', 'rival', 'zebra', 'Ümlaut'])
  assert.deepEqual(await namesOf('sort=-name&take=2'), [4, 'Ümlaut', 'zebra'])
  assert.deepEqual(await namesOf('sort=-created&take=2&skip=1'), [4, 'Ümlaut', 'acme'])
  assert.deepEqual(await namesOf('search=%C3%BCM'), [1, 'Ümlaut'])
  assert.deepEqual(await namesOf(`search=${other.rival.tenant.id}`), [1, 'rival'])
  assert.deepEqual(await namesOf(`search=${other.rival.tenant.clientId}`), [1, 'rival'])
  assert.deepEqual(await namesOf('search=%25'), [0])
  const idsOf = async (query: string) => (await ask(`keys?${query}`)).keys.map(({ id }) => id)
  const own = other.acme.key.split('_')[1] ?? ''
  assert.deepEqual(await idsOf('search=ACME'), [own])
  assert.deepEqual(await idsOf(`search=${other.acme.key}`), [own])
  assert.deepEqual(await idsOf('search=operator'), [other.operatorKey.split('_')[1]])
  assert.deepEqual((await idsOf('')).slice(1, 2), await idsOf('take=1&skip=1'))
  const createKey = (body: object) =>
    other.post('/v1/admin/keys', other.operatorKey, { payload: JSON.stringify({ scopes: ['ingest'], ...body }) })
  for (const [name, expires] of [['Beta', '2d'], ['alpha', '1d'], ['gamma']] as const) {
    other.advance(1000)
    await createKey({ name, tenant: 'zebra', ...(expires && { expires }) })
  }
  const keyNames = async (sort: string) =>
    (await ask(`keys?sort=${sort}&take=3`)).keys.map(({ name, tenant }) => name ?? tenant?.name)
  assert.deepEqual(await keyNames('-created'), ['gamma', 'alpha', 'Beta'])
  assert.deepEqual(await keyNames('name'), ['alpha', 'Beta', 'gamma'])
  assert.deepEqual(await keyNames('expires'), ['alpha', 'Beta', 'gamma'])
  assert.deepEqual(await keyNames('tenant'), ['acme', 'rival', 'gamma'])
  assert.deepEqual(await idsOf('scope=admin'), [other.operatorKey.split('_')[1]])
  assert.equal((await ask('keys?scope=ingest&search=zebra&take=1')).count, 3)
  assert.equal((await ask('keys?sort=created')).keys.at(-1)?.name, 'gamma')
  assert.equal((await ask('keys?sort=-used')).keys[0]?.id, other.operatorKey.split('_')[1])
  assert.equal((await ask('keys?sort=used')).keys.at(-1)?.id, other.operatorKey.split('_')[1])
  await other.storage.control.keys.revokeKey(own, other.nowMs)
  assert.deepEqual(await idsOf('valid=false'), [own])
  assert.equal((await ask('keys?valid=true&take=1')).count, (await ask('keys')).count - 1)
  for (const path of [
    'tenants?sort=x',
    'tenants?take=0',
    'keys?take=1001',
    'keys?valid=x',
    'keys?scope=x',
    'keys?sort=x',
    'tenants?skip=-1',
  ])
    assert.equal((await other.get(`/v1/admin/${path}`, other.operatorKey)).statusCode, 400, path)
})
