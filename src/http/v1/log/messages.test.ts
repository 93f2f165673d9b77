import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type AppFixture, openAppFixture } from '../../../../test/harness/app/app-fixture.ts'
import type { Message } from './messages.wire.ts'

let fixture: AppFixture
const ID = 'message-of-three-steps'

before(async () => {
  fixture = await openAppFixture()
  const start = Math.floor(fixture.nowMs / 1000) - 1000
  const step = (seconds: number, fields: object) =>
    fixture.event({
      id: ID,
      timestamp: start + seconds,
      recipient: 'mary@example.net',
      subject: '<b>Hi</b>',
      ...fields,
    })
  await fixture.ingest([
    step(0, { type: 'TransientFailure', response_code: 451, response_enhanced_code: '4.7.1', num_attempts: 0 }),
    step(0, { type: 'Reception', response_code: 250, size: 1234, campaign: null }),
    step(600, { type: 'Delivery', response_code: 250, campaign: 'spring' }),
    step(700, { type: 'Opened' }),
  ])
  await fixture.ingest([fixture.event({ id: 'theirs', domain_name: 'rival.test' })])
})
after(() => fixture[Symbol.asyncDispose]())

test('the timeline runs from reception to the last event, in plain words', async () => {
  const message = (await fixture.get(`/v1/messages/${ID}`)).json<Message>()
  const { events, ...rest } = message
  assert.deepEqual(rest, {
    id: ID,
    domain: 'acme.test',
    recipients: ['mary@example.net'],
    sender: 'bounces@acme.test',
    header_from: 'Acme <hello@acme.test>',
    subject: '<b>Hi</b>',
    size: 1234,
    campaign: 'spring',
    outcome: 'delivered',
  })
  assert.deepEqual(
    events.map(({ type, sincePreviousMs, attempt }) => [type, sincePreviousMs, attempt]),
    [
      ['Reception', null, null],
      ['TransientFailure', 0, 1],
      ['Delivery', 600_000, 2],
      ['Opened', 100_000, null],
    ],
  )
  for (const event of events) {
    assert.match(event.explanation, /^[A-Z].*\.$/)
    assert(!('reply' in event) && !('isMachine' in event))
  }
  assert.deepEqual(
    events.map(({ actor }) => actor),
    ['nobody', 'nobody', 'nobody', 'nobody'],
  )
})

test('a failure says who has to act', async () => {
  const reply = { response_code: 552, response_enhanced_code: '5.2.2', response_content: 'user 4711 is over quota' }
  await fixture.ingest([fixture.event({ id: 'full', type: 'Bounce', ...reply })])
  const [event] = (await fixture.get('/v1/messages/full')).json<Message>().events
  assert.deepEqual(
    [event?.explanation, event?.actor, event?.reply],
    [
      'Permanently failed: the mailbox is full. The recipient has to make room in the mailbox.',
      'receiver',
      'user * is over quota',
    ],
  )
})

test('a domain may be given, and must be the tenant’s own', async () => {
  assert.equal((await fixture.get(`/v1/messages/${ID}?domain=acme.test`)).statusCode, 200)
  assert.equal((await fixture.get(`/v1/messages/${ID}?domain=mail.acme.test`)).statusCode, 404)
  assert.equal((await fixture.get(`/v1/messages/${ID}?domain=rival.test`)).statusCode, 400)
})

test("another tenant's message gets the response of one that does not exist", async () => {
  const foreign = await fixture.get('/v1/messages/theirs')
  const missing = await fixture.get('/v1/messages/nobodys')
  assert.equal(foreign.statusCode, 404)
  assert.equal(foreign.body, missing.body)
  assert.equal((await fixture.get('/v1/messages/theirs', fixture.rival.key)).statusCode, 200)
})

test('for an id used by two domains, the newer message is returned and the other is mentioned', async () => {
  const fields = { id: 'twice', timestamp: Math.floor(fixture.nowMs / 1000) - 50 }
  await fixture.ingest([
    fixture.event({ ...fields, timestamp: fields.timestamp - 10 }),
    fixture.event({ ...fields, domain_name: 'mail.acme.test', type: 'Bounce', recipient: 'a@b.test' }),
  ])
  const { domain, alsoIn, events, outcome } = (await fixture.get('/v1/messages/twice')).json<Message>()
  assert.deepEqual([domain, alsoIn, events.length, outcome], ['mail.acme.test', ['acme.test'], 1, 'bounced'])
})

test('a message of many events is complete and in order, up to 5000 of them', async () => {
  const start = Math.floor(fixture.nowMs / 1000) - 10_000
  const domainNumber = fixture.acme.domains[0].number
  const append = (id: string, count: number) =>
    fixture.storage.log.append(
      Array.from({ length: count }, (_, index) => ({
        domainNumber,
        event: fixture.event({ id, type: 'TransientFailure', timestamp: start + index }),
      })),
    )
  for (const [id, count] of [
    ['long', 1001],
    ['longest', 5001],
  ] as const) {
    await append(id, count)
    const { events, isCut, recipients } = (await fixture.get(`/v1/messages/${id}`)).json<Message>()
    assert.equal(isCut, count > 5000 ? true : undefined)
    assert.equal(events.length, Math.min(count, 5000))
    const first = events[0]?.timestamp ?? 0
    assert.ok(events.every(({ timestamp }, index) => timestamp === first + index))
    assert.ok(recipients.length > 0)
  }
})

test('automated events are marked', async () => {
  const event = fixture.event({ id: 'opened', type: 'Opened' })
  const domainNumber = fixture.acme.domains[0].number
  await fixture.storage.log.append([{ domainNumber, event, extension: { machine: 'proxy' } }])
  const { events } = (await fixture.get('/v1/messages/opened')).json<Message>()
  assert.deepEqual([events[0]?.machine, events[0]?.isMachine], ['proxy', true])
  assert.match(events[0]?.explanation ?? '', /^A machine/)
})

test('an operator sees a message of any tenant, and none of another one than it names', async () => {
  const statusOf = async (query: string) =>
    (await fixture.get(`/v1/admin/messages/${ID}${query}`, fixture.operatorKey)).statusCode
  const { acme, rival } = fixture
  assert.equal(await statusOf(''), 200)
  assert.equal(await statusOf(`?tenant=${acme.tenant.id}`), 200)
  assert.equal(await statusOf(`?tenant=acme&domain=acme.test`), 200)
  assert.equal(await statusOf(`?tenant=${rival.tenant.id}`), 404)
  assert.equal(await statusOf('?tenant=rival&domain=acme.test'), 400)
  assert.equal(await statusOf('?tenant=nobody'), 404)
})
