import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type AppFixture, openAppFixture } from '../../../../test/harness/app/app-fixture.ts'
import { EventStream } from '../../../../test/harness/log/event-stream.ts'
import { withChangedLog } from '../../../../test/harness/storage/changed-log.ts'
import { AppError } from '../../../lib/app-error.ts'
import type { LogEvent } from './events.wire.ts'

let fixture: AppFixture
let address: string
before(async () => {
  fixture = await openAppFixture()
  address = await fixture.app.listen({ port: 0, host: '127.0.0.1' })
})
after(() => fixture[Symbol.asyncDispose]())

function open(query = '', headers: Record<string, string> = {}): Promise<EventStream> {
  return EventStream.open(`${address}/v1/events/stream${query}`, { authorization: fixture.acme.key, ...headers })
}

/** Open, and positioned after everything stored so far. */
async function openAtEnd(query = ''): Promise<EventStream> {
  const stream = await open(query)
  assert.equal((await stream.next())?.event, 'position')
  return stream
}

test('newly stored events are sent, late ones too, but no earlier ones and no other tenant’s', async () => {
  await fixture.ingest([fixture.event({ id: 'before' })])
  await using stream = await openAtEnd()
  assert.match(String(stream.response.headers.get('content-type')), /^text\/event-stream/)
  assert.equal(stream.response.headers.get('cache-control'), 'no-store')
  const events = [
    fixture.event({ id: 'now' }),
    fixture.event({ id: 'theirs', domain_name: 'rival.test' }),
    fixture.event({ id: 'late', timestamp: Math.floor(fixture.nowMs / 1000) - 40 * 86_400 }),
    fixture.event({ id: 'elsewhere', domain_name: 'mail.acme.test' }),
  ]
  for (const event of events) await fixture.ingest([event])
  const sent = await stream.take(3)
  assert.deepEqual(new Set(sent.map(({ id }) => id)), new Set(['now', 'late', 'elsewhere']))
  assert.deepEqual(
    sent.find(({ id }) => id === 'now'),
    events[0],
  )
})

test('an operator follows all tenants, or the one that is named, and sees where messages are sent from', async () => {
  const openAll = async (query: string) => {
    const stream = await EventStream.open(`${address}/v1/admin/events/stream${query}`, {
      authorization: fixture.operatorKey,
    })
    if (stream.response.status === 200) assert.equal((await stream.next())?.event, 'position')
    return stream
  }
  await using all = await openAll('')
  await using rivals = await openAll(`?tenant=${fixture.rival.tenant.id}`)
  await using named = await openAll('?tenant=rival&domain=rival.test')
  await fixture.ingest([
    fixture.event({ id: 'of-acme', sending_source: 'mta-1' }),
    fixture.event({ id: 'of-rival', domain_name: 'rival.test' }),
  ])
  const sent: readonly LogEvent[] = await all.take(2)
  assert.deepEqual(sent.map(({ id }) => id).sort(), ['of-acme', 'of-rival'])
  assert.equal(sent.find(({ id }) => id === 'of-acme')?.sending_source, 'mta-1')
  for (const stream of [rivals, named])
    assert.deepEqual(
      (await stream.take(1)).map(({ id }) => id),
      ['of-rival'],
    )
  for (const [query, status] of [
    ['?tenant=nobody', 404],
    ['?tenant=acme&domain=rival.test', 400],
  ] as const) {
    await using refused = await openAll(query)
    assert.equal(refused.response.status, status, query)
  }
  // A position of the operator's stream is of no use to a tenant.
  await using theirs = await open('', { 'last-event-id': all.lastEventId })
  assert.equal(theirs.response.status, 400)
})

test('a tenant that names a tenant is refused, whichever it is', async () => {
  for (const name of ['acme', 'rival', 'nobody', '']) {
    await using stream = await open(`?tenant=${name}`)
    assert.equal(stream.response.status, 403, name)
    const answer = await fixture.get(`/v1/events?tenant=${name}`)
    assert.equal(answer.statusCode, 403, name)
    assert.match(answer.json<{ message: string }>().message, /parameter tenant/)
  }
})

test('it has the filters of the listing', async () => {
  await using stream = await openAtEnd('?type=Bounce&domain=acme.test&q=wanted')
  await fixture.ingest([
    fixture.event({ id: 'b1', type: 'Bounce' }),
    fixture.event({ id: 'b2', type: 'Delivery', subject: 'wanted' }),
    fixture.event({ id: 'b3', type: 'Bounce', subject: 'wanted', domain_name: 'mail.acme.test' }),
    fixture.event({ id: 'b4', type: 'Bounce', subject: 'WANTED <b>\n\ndata: forged' }),
  ])
  const [event] = await stream.take(1)
  assert.deepEqual([event?.id, event?.subject], ['b4', 'WANTED <b>\n\ndata: forged'])
})

test('it resumes after any event whose id is given', async () => {
  const first = await openAtEnd()
  const beginning = first.lastEventId
  const days = [0, 3, 0, 20, 3, 0]
  const events = days.map((day, index) =>
    fixture.event({ id: `r${index}`, timestamp: Math.floor(fixture.nowMs / 1000) - 60 - day * 86_400 - index }),
  )
  await fixture.ingest(events)
  const ids: string[] = []
  const sent: string[] = []
  for (const _ of events) {
    sent.push(...(await first.take(1)).map(({ id }) => id))
    ids.push(first.lastEventId)
  }
  await first[Symbol.asyncDispose]()
  assert.deepEqual(sent.toSorted(), events.map(({ id }) => id).toSorted())
  for (const [index, id] of [beginning, ...ids].entries()) {
    const rest = sent.slice(index)
    await using again = await open(index % 2 ? '' : `?last_event_id=${id}`, index % 2 ? { 'last-event-id': id } : {})
    assert.deepEqual(
      (await again.take(rest.length)).map((event) => event.id),
      rest,
    )
  }
})

test('it ends when the key is revoked', async () => {
  const { id, key } = await fixture.createKey(fixture.acme.tenant)
  await using stream = await open('', { authorization: key })
  await stream.next()
  await fixture.storage.control.keys.revokeKey(id, fixture.nowMs)
  assert.equal(await stream.next(), undefined)
})

test('it can be opened with a session, and ends with it', async () => {
  const signedIn = await fixture.post('/v1/session', null, { payload: JSON.stringify({ key: fixture.acme.key }) })
  const cookie = String(signedIn.headers['set-cookie']).split(';')[0] ?? ''
  await using stream = await EventStream.open(`${address}/v1/events/stream`, { cookie })
  assert.equal((await stream.next())?.event, 'position')
  fixture.advance(12 * 3_600_000)
  assert.equal(await stream.next(), undefined)
})

test('a position of another tenant, or an invalid one, is refused', async () => {
  await using theirs = await open('', { authorization: fixture.rival.key })
  await theirs.next()
  for (const id of [theirs.lastEventId, 'rubbish']) {
    await using refused = await open('', { 'last-event-id': id })
    assert.equal(refused.response.status, 400)
  }
  await using foreign = await open('?domain=rival.test')
  assert.equal(foreign.response.status, 400)
})

test('a client that disconnects frees its place, and too many at once are refused', async () => {
  const streams = await Promise.all(Array.from({ length: 50 }, () => open('', { authorization: fixture.rival.key })))
  await using refused = await open('', { authorization: fixture.rival.key })
  assert.equal(refused.response.status, 503)
  await Promise.all(streams.map((stream) => stream[Symbol.asyncDispose]()))
  // The server notices a closed connection slightly later than the client.
  for (let tries = 0; ; tries++) {
    await using again = await open('', { authorization: fixture.rival.key })
    if (again.response.status === 200) break
    assert(tries < 1000, 'a place that was left stays taken')
  }
})

test('when events arrive, the streams of other tenants read nothing', async (context) => {
  const idle = await Promise.all(Array.from({ length: 20 }, () => open('', { authorization: fixture.rival.key })))
  // Once it has sent an event, a stream has nothing left to read.
  await fixture.ingest([fixture.event({ id: 'i0', domain_name: 'rival.test' })])
  for (const stream of idle) await stream.take(1)
  await using own = await openAtEnd('?domain=mail.acme.test')
  const read = context.mock.method(fixture.storage.log.arrivals, 'list').mock
  for (const id of ['i1', 'i2', 'i3']) {
    await fixture.ingest([fixture.event({ id, domain_name: 'mail.acme.test' })])
    assert.deepEqual(
      (await own.take(1)).map((event) => event.id),
      [id],
    )
  }
  assert.ok(read.callCount() > 0)
  const names = read.calls.flatMap(({ arguments: [{ domains }] }) => domains.map(({ name }) => name))
  assert.deepEqual(new Set(names), new Set(['mail.acme.test']))
  await Promise.all(idle.map((stream) => stream[Symbol.asyncDispose]()))
})

test('events of a domain that was added later are sent, from the first one on', async () => {
  await using stream = await openAtEnd()
  const [domain] = fixture.acme.domains
  const { number: _, ...rest } = domain
  await fixture.storage.control.domains.create({ ...rest, id: 'later', name: 'later.acme.test' })
  await fixture.ingest([fixture.event({ id: 'l1', domain_name: 'later.acme.test' })])
  assert.deepEqual(
    (await stream.take(1)).map(({ id }) => id),
    ['l1'],
  )
})

test('stopping the server ends it cleanly', async () => {
  await using stopping = await openAppFixture()
  const url = `${await stopping.app.listen({ port: 0, host: '127.0.0.1' })}/v1/events/stream`
  await using stream = await EventStream.open(url, { authorization: stopping.acme.key })
  await stream.next()
  const closed = stopping.app.close()
  assert.equal(await stream.next(), undefined)
  await closed
})

test('a stream that catches up reads small batches, so that it does not block others', async (context) => {
  const first = await openAtEnd()
  const beginning = first.lastEventId
  await first[Symbol.asyncDispose]()
  await fixture.ingest(Array.from({ length: 300 }, (_, index) => fixture.event({ id: `turn${index}` })))
  const { mock: asked } = context.mock.method(fixture.storage.log.arrivals, 'list')
  await using stream = await open('', { 'last-event-id': beginning })
  assert.equal(new Set((await stream.take(300)).map(({ id }) => id)).size, 300)
  for (const { result } of asked.calls) assert(((await result)?.events.length ?? 0) <= 50)
})

test('a stream whose reads fail ends, and is no longer counted', async () => {
  await using own = await openAppFixture({
    wrapStorage: (storage) => {
      const { arrivals } = storage.log
      const list = () => Promise.reject(new AppError('storage_unavailable', 'no disk'))
      return withChangedLog(storage, { arrivals: { ...arrivals, last: () => arrivals.last(), list } })
    },
  })
  const origin = await own.app.listen({ port: 0, host: '127.0.0.1' })
  await using stream = await EventStream.open(`${origin}/v1/events/stream`, { authorization: own.acme.key })
  await stream.next()
  await assert.rejects(stream.next())
  assert.match((await own.get('/metrics', null)).body, /^envelog_streams_open 0$/m)
})

test('a stream whose reads are refused because there are too many waits before it tries again, and then continues', async () => {
  const refused = Promise.withResolvers<void>()
  let reads = 0
  await using own = await openAppFixture({
    wrapStorage: (storage) => {
      const { arrivals } = storage.log
      const list: typeof arrivals.list = (query) => {
        reads++
        if (reads > 1) return arrivals.list(query)
        refused.resolve()
        return Promise.reject(new AppError('too_many_reads', 'later'))
      }
      return withChangedLog(storage, { arrivals: { ...arrivals, last: () => arrivals.last(), list } })
    },
  })
  const origin = await own.app.listen({ port: 0, host: '127.0.0.1' })
  await using stream = await EventStream.open(`${origin}/v1/events/stream`, { authorization: own.acme.key })
  await refused.promise
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
  assert.equal(reads, 1)
  await own.ingest([own.event({ id: 'after' })])
  assert.deepEqual(
    (await stream.take(1)).map(({ id }) => id),
    ['after'],
  )
})
