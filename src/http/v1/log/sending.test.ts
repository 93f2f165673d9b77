import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type AppFixture, FIXTURE_START_MS, openAppFixture } from '../../../../test/harness/app/app-fixture.ts'
import type { Series } from '../statistics/series.wire.ts'
import type { EventsPage } from './events.wire.ts'
import type { Message } from './messages.wire.ts'

const NOW = FIXTURE_START_MS / 1000
const ORIGINS = [
  { sending_address: '2001:db8::25', sending_source: 'mta-1', sending_pool: 'bulk' },
  { sending_address: '192.0.2.2', sending_source: 'mta-2', sending_pool: 'bulk' },
] as const
const PROBES = ['2001:db8::25', '192.0.2.2', 'mta-1', 'bulk', 'sending_']

async function openScene(tenantsSeeSending?: boolean): Promise<AppFixture> {
  const fixture = await openAppFixture(tenantsSeeSending === undefined ? {} : { tenantsSeeSending })
  const failed = { id: 'm1', type: 'TransientFailure', response_code: 451, provider_name: 'Microsoft' } as const
  await fixture.ingest([
    fixture.event({
      ...failed,
      timestamp: NOW - 100,
      ...ORIGINS[0],
      sending_address: '2001:DB8::0:25',
      next_attempt: NOW + 900,
    }),
    fixture.event({ id: 'm2', timestamp: NOW - 90, provider_name: 'Microsoft', ...ORIGINS[1] }),
    fixture.event({ id: 'm3', timestamp: NOW - 80, domain_name: 'rival.test', ...ORIGINS[1] }),
    fixture.event({
      id: 'm4',
      timestamp: NOW - 70,
      sending_address: 'rubbish',
      ...({ sending_source: 7, next_attempt: 'soon' } as object),
    }),
  ])
  return fixture
}

const eventsOf = async (fixture: AppFixture, query: string, key?: string) => {
  const answer = await fixture.get(query, key)
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json<EventsPage>().events
}

describe('where a message was sent from', () => {
  let hiding: AppFixture
  let showing: AppFixture

  before(async () => {
    hiding = await openScene()
    showing = await openScene(true)
  })
  after(async () => {
    await hiding[Symbol.asyncDispose]()
    await showing[Symbol.asyncDispose]()
  })

  test('an event is stored whatever is wrong with these fields', async () => {
    const [event] = await eventsOf(hiding, '/v1/admin/events?message_id=m4', hiding.operatorKey)
    assert.equal(event?.id, 'm4')
    assert.deepEqual(
      Object.keys(event).filter((name) => /sending|attempt/.test(name)),
      [],
    )
  })

  test('the operator sees it, over all tenants or those named, and can filter by it', async () => {
    const idsOf = async (query: string) =>
      (await eventsOf(hiding, `/v1/admin/events?${query}`, hiding.operatorKey)).map(({ id }) => id)
    const [, , second, first] = await eventsOf(hiding, '/v1/admin/events', hiding.operatorKey)
    assert.deepEqual(
      [first, second].map((event) => event?.sending_address),
      ORIGINS.map((origin) => origin.sending_address),
    )
    assert.equal(first?.next_attempt, NOW + 900)
    assert.deepEqual(await idsOf('sending_address=192.0.2.2'), ['m3', 'm2'])
    assert.deepEqual(await idsOf('sending_address=2001:db8:0:0::0025'), ['m1'])
    assert.deepEqual(await idsOf('sending_source=mta-1&sending_source=mta-2&tenant=acme'), ['m2', 'm1'])
    assert.deepEqual(await idsOf('sending_pool=bulk&domain=rival.test'), ['m3'])
    assert.deepEqual(await idsOf('sending_pool=none'), [])
    for (const query of ['sending_address=rubbish', 'domain=rival.test&tenant=acme'])
      assert.equal((await hiding.get(`/v1/admin/events?${query}`, hiding.operatorKey)).statusCode, 400, query)
    assert.equal((await hiding.get('/v1/admin/events?tenant=nobody', hiding.operatorKey)).statusCode, 404)
    const { events } = (await hiding.get('/v1/admin/messages/m3', hiding.operatorKey)).json<Message>()
    assert.equal(events[0]?.sending_source, 'mta-2')
    const csv = await hiding.get('/v1/admin/events?format=csv&sending_source=mta-1', hiding.operatorKey)
    assert.match(
      csv.body,
      /^time,.*,next_attempt,sending_address,sending_source,sending_pool\r\n.*,2001:db8::25,mta-1,bulk\r\n$/,
    )
  })

  test("the cursor of an operator's search continues it with the same tenants, and is of no use to a tenant", async () => {
    const first = await hiding.get('/v1/admin/events?tenant=acme&limit=1&sending_pool=bulk', hiding.operatorKey)
    const { events, next } = first.json<EventsPage>()
    const cursor = `cursor=${encodeURIComponent(String(next))}`
    const rest = await eventsOf(hiding, `/v1/admin/events?${cursor}`, hiding.operatorKey)
    assert.deepEqual(
      [...events, ...rest].map(({ id }) => id),
      ['m2', 'm1'],
    )
    for (const path of [`/v1/events?${cursor}`, `/webhooks/acme.test?next_token=${encodeURIComponent(String(next))}`])
      assert.equal((await hiding.get(path)).statusCode, 400, path)
  })

  test('a tenant sees the next attempt, and nothing of the rest, unless the operator allows it', async () => {
    const paths = [
      '/v1/events',
      '/v1/events?domain=acme.test',
      '/v1/events?domain=acme.test',
      '/v1/events?q=mta-1',
      '/v1/events?format=csv',
      '/v1/events?format=ndjson',
      '/v1/messages/m1',
      '/v1/stats/series?group=provider',
      '/webhooks/acme.test',
      '/webhooks/acme.test?message_id=m1',
      '/logs/acme.test',
    ]
    for (const path of paths) {
      const { body, statusCode } = await hiding.get(path)
      assert.equal(statusCode, 200, path)
      for (const probe of PROBES) assert(!body.includes(probe), `${path}: ${probe} in ${body}`)
    }
    for (const path of paths.filter((each) => /^.(webhooks|logs)/.test(each))) {
      // Allowed or not: the interface has 23 fields.
      assert.equal((await showing.get(path)).body.includes('next_attempt'), false)
      for (const probe of PROBES) assert(!(await showing.get(path)).body.includes(probe), path)
    }
    for (const fixture of [hiding, showing]) {
      const message = (await fixture.get('/v1/messages/m1')).json<Message>()
      assert.equal(message.events[0]?.next_attempt, NOW + 900)
    }
    const [own] = await eventsOf(showing, '/v1/events?sending_address=2001:db8::25')
    assert.deepEqual([own?.id, own?.sending_source, own?.sending_pool], ['m1', 'mta-1', 'bulk'])
    assert.deepEqual(await eventsOf(showing, '/v1/events?sending_source=mta-2&domain=mail.acme.test'), [])
    assert.deepEqual(
      (await eventsOf(showing, '/v1/events?sending_address=192.0.2.2')).map(({ id }) => id),
      ['m2'],
    )
  })

  test('is counted by hour, provider and type, for the operator over all tenants and for a tenant over its own', async () => {
    const totals = async (fixture: AppFixture, path: string, key?: string) => {
      const answer = await fixture.get(path, key)
      assert.equal(answer.statusCode, 200, answer.body)
      return Object.fromEntries(answer.json<Series>().series.map(({ key: name, total }) => [name, total]))
    }
    const any = (query: string) => totals(hiding, `/v1/admin/stats/series?${query}`, hiding.operatorKey)
    assert.deepEqual(await any('group=sending_address'), { '192.0.2.2': 2, '2001:db8::25': 1 })
    assert.deepEqual(await any('group=sending_address&provider=Microsoft&type=TransientFailure'), { '2001:db8::25': 1 })
    assert.deepEqual(await any('group=sending_source&tenant=acme&bucket=day'), { 'mta-1': 1, 'mta-2': 1 })
    assert.deepEqual(await any('group=domain&sending_address=192.0.2.2'), { 'acme.test': 1, 'rival.test': 1 })
    assert.deepEqual(await any('group=type&sending_pool=bulk'), { Delivery: 2, TransientFailure: 1 })
    assert.deepEqual(await any('group=domain'), { 'acme.test': 3, 'rival.test': 1 })
    assert.deepEqual(await totals(showing, '/v1/stats/series?group=sending_address'), {
      '192.0.2.2': 1,
      '2001:db8::25': 1,
    })
    for (const query of ['group=sending_address&classification=x', 'group=classification&sending_pool=bulk']) {
      const refused = await hiding.get(`/v1/admin/stats/series?${query}`, hiding.operatorKey)
      assert.equal(refused.statusCode, 400, query)
    }
  })
})
