import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type AppFixture, openAppFixture } from '../../../test/harness/app/app-fixture.ts'
import type { EmailEvent } from '../../events/event.ts'
import type { Quarantine, Replay } from '../v1/administration/quarantine.wire.ts'
import type { Tenants } from '../v1/administration/tenants.wire.ts'

let fixture: AppFixture
let acmeIngest: string
before(async () => {
  fixture = await openAppFixture()
  acmeIngest = (await fixture.createKey(fixture.acme.tenant, ['ingest'])).key
})
after(() => fixture[Symbol.asyncDispose]())

const send = (key: string, events: readonly unknown[], path = 'events') =>
  fixture.post(`/ingest/${path}`, key, { payload: events.map((event) => JSON.stringify(event)).join('\n') })
const replay = async () => (await fixture.post('/v1/admin/quarantine/replay', fixture.operatorKey)).json<Replay>()
const listRejected = async () =>
  (await fixture.get('/v1/admin/quarantine', fixture.operatorKey)).json<Quarantine>().records
const countOf = async (tenant: 'acme' | 'rival', id: string) => {
  const { key, domains } = fixture[tenant]
  const url = `/webhooks/${domains[0].name}?message_id=${id}`
  return (await fixture.get(url, key)).json<{ events: EmailEvent[] }>().events.length
}
const drop = () =>
  fixture.app.inject({
    method: 'DELETE',
    url: '/v1/admin/quarantine?all=true',
    headers: { authorization: fixture.operatorKey },
  })

describe('an ingest key of a tenant', () => {
  test("stores events of the tenant's domains; another tenant's domain gets the response of an unknown one", async () => {
    const [own, theirs, unknown] = ['acme.test', 'rival.test', 'nowhere.test'].map((domain_name) =>
      fixture.event({ domain_name, id: `bound-${domain_name}` }),
    )
    const answer = await send(acmeIngest, [own, theirs, unknown])
    assert.equal(answer.statusCode, 200)
    const { stored, rejected } = answer.json<{ stored: number; rejected: { index: number; error: string }[] }>()
    assert.equal(stored, 1)
    assert.deepEqual(
      rejected.map(({ index, error }) => [index, error.replace(/"[^"]*"/, '')]),
      [1, 2].map((index) => [index, 'domain_name:  is not a known domain']),
    )
    // Also when the name is cached because its owner used it.
    await fixture.ingest([fixture.event({ domain_name: 'rival.test' })])
    const again = (await send(acmeIngest, [theirs])).json<{ rejected: { error: string }[] }>()
    assert.equal(again.rejected[0]?.error, rejected[0]?.error)
    assert.equal(await countOf('rival', 'bound-rival.test'), 0)
    await drop()
  })

  test('gets nothing into another log by way of the quarantine: a replay is bound to the tenant too', async () => {
    const forged = fixture.event({ domain_name: 'rival.test', id: 'forged' })
    await send(acmeIngest, [forged])
    assert.deepEqual(
      (await listRejected()).map(({ tenant }) => tenant),
      ['acme'],
    )
    assert.deepEqual(await replay(), { replayed: 1, stored: 0, duplicates: 0, rejected: 1 })
    assert.equal(await countOf('rival', 'forged'), 0)
    // The same record of the operator is another one.
    assert.equal((await send(fixture.operatorKey, [forged])).json<{ stored: number }>().stored, 1)
    await drop()
  })

  test("finds the sender domain of a connector's record among the tenant's own", async () => {
    const record = (sender: string, id: string) => ({
      type: 'Delivery',
      id,
      sender,
      recipient: 'a@example.net',
      queue: 'q',
      site: 's',
      size: 1,
      response: { code: 250, enhanced_code: null, content: 'ok', command: null },
      peer_address: { name: 'mx', addr: '192.0.2.1' },
      timestamp: Math.floor(fixture.nowMs / 1000),
      created: Math.floor(fixture.nowMs / 1000),
      num_attempts: 0,
      bounce_classification: 'Uncategorized',
      egress_pool: null,
      egress_source: null,
      feedback_report: null,
      meta: {},
      headers: { From: `<${sender}>` },
      delivery_protocol: 'ESMTP',
      reception_protocol: 'ESMTP',
      nodeid: '01890000-0000-7000-8000-000000000001',
    })
    const answer = await send(
      acmeIngest,
      [record('x@mail.acme.test', 'k1'), record('x@mail.rival.test', 'k2')],
      'kumomta',
    )
    assert.equal(answer.json<{ stored: number }>().stored, 1, answer.body)
    await drop()
  })

  test('can do nothing else: no reading, no administration, no reports', async () => {
    for (const path of ['/webhooks/acme.test', '/domain/stats', '/api/v2/domain'])
      assert.equal((await fixture.get(path, acmeIngest)).statusCode, 401, path)
    for (const path of ['/v1/events', '/v1/domains', '/v1/admin/tenants'])
      assert.equal((await fixture.get(path, acmeIngest)).statusCode, 403, path)
    assert.equal((await fixture.post('/ingest/report', acmeIngest, { payload: 'Subject: x\r\n\r\n' })).statusCode, 401)
    const create = (scopes: string[]) =>
      fixture.post('/v1/admin/keys', fixture.operatorKey, { payload: JSON.stringify({ tenant: 'acme', scopes }) })
    assert.equal((await create(['ingest', 'logs'])).statusCode, 400)
    assert.equal((await create(['read'])).statusCode, 400)
  })
})

describe('a quota of events a day', () => {
  const HOUR_MS = 3_600_000
  const setQuota = async (eventsPerDay: number | null) => {
    const url = `/v1/admin/tenants/${fixture.acme.tenant.id}`
    const payload = JSON.stringify({ quotas: { eventsPerDay } })
    assert.equal((await fixture.post(url, fixture.operatorKey, { payload })).statusCode, 200)
  }
  const eventsToday = async () => {
    const { tenants } = (await fixture.get('/v1/admin/tenants', fixture.operatorKey)).json<Tenants>()
    return tenants.find(({ name }) => name === 'acme')?.use.eventsToday
  }
  /** The day has no events of the tests above. */
  const nextDay = () => fixture.advance(24 * HOUR_MS)
  const some = (count: number, fields: Partial<EmailEvent> = {}) =>
    Array.from({ length: count }, () => fixture.event(fields))

  test('refuses the request of a tenant key as a whole, with the time until midnight, and stores nothing of it', async () => {
    nextDay()
    await setQuota(5)
    assert.equal((await send(acmeIngest, some(3))).statusCode, 200)
    const beyond = some(3)
    const answer = await send(acmeIngest, [...beyond, { rubbish: true }])
    assert.equal(answer.statusCode, 429)
    assert.match(answer.body, /quota of 5 events a day has room for 2 more, and the request has 3/)
    assert.equal(Number(answer.headers['retry-after']), (12 * HOUR_MS) / 1000)
    assert.equal(await eventsToday(), 3)
    assert.deepEqual(await listRejected(), [])
    assert.equal(await countOf('acme', beyond[0]?.id ?? ''), 0)
    assert.equal((await send(acmeIngest, beyond.slice(0, 2))).statusCode, 200)
    assert.equal((await send(acmeIngest, some(1))).statusCode, 429)
    // The others are not affected, and the next day begins anew.
    assert.equal(
      (await send(fixture.operatorKey, some(9, { domain_name: 'rival.test' }))).json<{ stored: number }>().stored,
      9,
    )
    fixture.advance(12 * HOUR_MS)
    assert.equal((await send(acmeIngest, beyond)).json<{ stored: number }>().stored, 1)
    fixture.advance(12 * HOUR_MS)
  })

  test('a request that is larger than the quota is not one to send again: it must be smaller', async () => {
    const answer = await send(acmeIngest, some(6))
    assert.equal(answer.statusCode, 413)
    assert.match(answer.body, /send fewer events in one request/)
    assert.equal(answer.headers['retry-after'], undefined)
  })

  test("rejects the surplus of an operator's request into quarantine and stores the rest; a replay stores it later", async () => {
    nextDay()
    const own = some(7)
    const events = own.flatMap((event) => [event, fixture.event({ domain_name: 'rival.test' })])
    const answer = (await send(fixture.operatorKey, events)).json<{
      stored: number
      rejected: { index: number; error: string }[]
    }>()
    assert.equal(answer.stored, 12)
    assert.deepEqual(
      answer.rejected,
      [10, 12].map((index) => ({ index, error: 'the quota of the tenant is used up: 5 events a day (UTC)' })),
    )
    assert.equal(await countOf('acme', own[5]?.id ?? ''), 0)
    assert.deepEqual(await replay(), { replayed: 2, stored: 0, duplicates: 0, rejected: 2 })
    await setQuota(6)
    assert.deepEqual(await replay(), { replayed: 2, stored: 1, duplicates: 0, rejected: 1 })
    nextDay()
    assert.deepEqual(await replay(), { replayed: 1, stored: 1, duplicates: 0, rejected: 0 })
    for (const { id } of own) assert.equal(await countOf('acme', id), 1)
  })

  test('duplicates do not count again', async () => {
    nextDay()
    await setQuota(5)
    const events = some(4)
    assert.equal((await send(acmeIngest, events)).json<{ stored: number }>().stored, 4)
    await setQuota(8)
    for (let times = 0; times < 5; times++)
      assert.equal((await send(acmeIngest, events)).json<{ duplicates: number }>().duplicates, 4)
    assert.equal(await eventsToday(), 4)
  })

  test('holds for requests at the same time', async () => {
    nextDay()
    await setQuota(10)
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(acmeIngest, some(3))))
    assert.deepEqual(
      answers.map(({ statusCode }) => statusCode).sort((a, b) => a - b),
      [200, 200, 200, 429, 429, 429, 429, 429],
    )
    assert.equal(await eventsToday(), 9)
  })

  test('counts what was stored today before the quota was set', async () => {
    nextDay()
    await setQuota(null)
    assert.equal(await eventsToday(), null)
    await send(acmeIngest, some(4))
    await setQuota(5)
    assert.equal(await eventsToday(), 4)
    assert.equal((await send(acmeIngest, some(2))).statusCode, 429)
    assert.equal((await send(acmeIngest, some(1))).statusCode, 200)
  })

  test('a quota of nothing refuses everything, and none refuses nothing', async () => {
    await setQuota(0)
    assert.equal((await send(acmeIngest, some(1))).statusCode, 429)
    await setQuota(null)
    assert.equal((await send(acmeIngest, some(50))).json<{ stored: number }>().stored, 50)
  })
})
