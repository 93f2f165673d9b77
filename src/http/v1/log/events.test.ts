import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { type AppFixture, openAppFixture } from '../../../../test/harness/app/app-fixture.ts'
import { type EmailEvent, EVENT_TYPES } from '../../../events/event.ts'
import type { EventsPage } from './events.wire.ts'

let fixture: AppFixture
let events: readonly EmailEvent[]
const EVIL = '=HYPERLINK("http://evil"),</script>\u202e\u0007"x"\n'

before(async () => {
  fixture = await openAppFixture()
  events = Array.from({ length: 60 }, (_, index) => {
    const type = EVENT_TYPES[index % EVENT_TYPES.length] ?? 'Delivery'
    return fixture.event({
      type,
      timestamp: Math.floor(fixture.nowMs / 1000) - 60 * index,
      domain_name: ['acme.test', 'mail.acme.test', 'rival.test'][index % 3] ?? '',
      subject: index === 0 ? EVIL : `Letter ${index}`,
      response_code: [250, 400, 451, 550, 552][index % 5] ?? 250,
      ...(index % 2 === 0 && { provider_name: 'Google', bounce_classification: 'SpamBlock' }),
    })
  })
  await fixture.ingest(events.toReversed())
})
after(() => fixture[Symbol.asyncDispose]())

const isOwn = ({ domain_name }: EmailEvent) => domain_name !== 'rival.test'

async function page(query: string, key?: string): Promise<EventsPage> {
  const answer = await fixture.get(`/v1/events${query}`, key)
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json<EventsPage>()
}

const idsOf = (found: readonly EmailEvent[]) => found.map(({ id }) => id)

async function expectIds(query: string, test_: (event: EmailEvent) => boolean): Promise<void> {
  const expected = events.filter((event) => isOwn(event) && test_(event))
  assert.notEqual(expected.length, 0, query)
  assert.deepEqual(idsOf((await page(query)).events), idsOf(expected), query)
}

describe('a page of the log', () => {
  test('has the events of all of the tenant’s domains and no others, newest first', async () => {
    const { events: found, next, searchedTo } = await page('')
    assert.deepEqual(found, events.filter(isOwn))
    assert.equal(next, null)
    assert.equal(searchedTo, new Date(fixture.nowMs - 15 * 86_400_000).toISOString())
    assert.deepEqual(idsOf((await page('', fixture.rival.key)).events), idsOf(events.filter((event) => !isOwn(event))))
  })

  test('filters are combined with AND, the values of one filter with OR', async () => {
    await expectIds('?domain=acme.test', ({ domain_name }) => domain_name === 'acme.test')
    await expectIds('?domain=ACME.test.&domain=mail.acme.test', () => true)
    await expectIds('?type=Bounce&type=Click', ({ type }) => type === 'Bounce' || type === 'Click')
    await expectIds('?code=550', ({ response_code: code }) => code === 550)
    await expectIds('?code=4xx', ({ response_code: code = 0 }) => code >= 400 && code < 500)
    await expectIds('?code=55X&code=250', ({ response_code: code = 0 }) => code >= 550 || code === 250)
    await expectIds('?code=451-550', ({ response_code: code = 0 }) => code >= 451 && code <= 550)
    await expectIds('?provider=Google', ({ provider_name }) => provider_name === 'Google')
    await expectIds('?classification=SpamBlock&code=250', (event) => {
      return event.bounce_classification === 'SpamBlock' && event.response_code === 250
    })
    await expectIds('?recipient=PERSON3', ({ recipient }) => recipient.includes('person3'))
    await expectIds('?header_from=hello&subject=letter%201', ({ subject = '' }) => subject.startsWith('Letter 1'))
    await expectIds('?sender=bounces@', () => true)
  })

  test('free text matches addresses, subjects and message ids', async () => {
    const [, other] = events
    assert(other)
    await expectIds('?q=%22letter%2010%22', ({ subject }) => subject === 'Letter 10')
    await expectIds(`?q=${other.recipient.toUpperCase()}`, ({ recipient }) => recipient === other.recipient)
    await expectIds(`?q=${other.id}`, ({ id }) => id === other.id)
    await expectIds(`?message_id=${other.id}`, ({ id }) => id === other.id)
    assert.deepEqual((await page(`?message_id=${other.id.slice(1)}`)).events, [])
    assert.deepEqual((await page('?q=no-such-thing')).events, [])
  })

  test('a search has words, addresses as they are pasted, and operators', async () => {
    const q = (text: string) => `?q=${encodeURIComponent(text)}`
    const [first] = events.filter(isOwn).slice(1)
    assert.ok(first)
    await expectIds(q(`Somebody <${first.recipient}>`), ({ recipient }) => recipient.includes(first.recipient))
    await expectIds(q(`${first.recipient} letter`), ({ recipient, subject }) =>
      [recipient.includes(first.recipient), subject?.startsWith('Letter')].every(Boolean),
    )
    await expectIds(q('code:5xx -type:Bounce,OOBBounce'), ({ response_code: code = 0, type }) =>
      [code >= 500, type !== 'Bounce', type !== 'OOBBounce'].every(Boolean),
    )
    await expectIds(
      q('-provider:Google letter'),
      (event) => !event.provider_name && event.subject?.startsWith('Letter') === true,
    )
    await expectIds(q('-domain:acme.test'), ({ domain_name }) => domain_name === 'mail.acme.test')
    await expectIds('?not_domain=acme.test&not_type=Bounce&not_code=4xx', (event) =>
      [
        event.domain_name !== 'acme.test',
        event.type !== 'Bounce',
        Math.floor((event.response_code ?? 0) / 100) !== 4,
      ].every(Boolean),
    )
    assert.deepEqual((await page(`${q('type:Bounce')}&type=Click`)).events, [])
    assert.deepEqual((await page(q('"Letter no"'))).events, [])
    const { next } = await page(`${q('letter -type:Bounce')}&limit=2`)
    const rest = await page(`?cursor=${next}`)
    assert.ok(rest.events.length > 0 && rest.events.every(({ type }) => type !== 'Bounce'))
  })

  test('the window includes its start and excludes its end', async () => {
    const at = (index: number) => new Date((events[index]?.timestamp ?? 0) * 1000).toISOString()
    const { events: found } = await page(`?from=${at(10)}&to=${at(4)}`)
    assert.deepEqual(idsOf(found), idsOf(events.slice(5, 11).filter(isOwn)))
  })

  test('following the cursors returns every event once, with the filters of the first page', async () => {
    const found: EmailEvent[] = []
    let query = '?limit=7&code=4xx&code=5xx'
    for (;;) {
      const { events: some, next, searchedTo } = await page(query)
      found.push(...some)
      if (next === null) break
      assert(Date.parse(searchedTo) <= (some.at(-1)?.timestamp ?? 0) * 1000)
      query = `?limit=3&cursor=${next}`
      await fixture.ingest([fixture.event({ response_code: 550 })])
    }
    const expected = events.filter((event) => isOwn(event) && (event.response_code ?? 0) >= 400)
    assert.deepEqual(idsOf(found.filter(({ id }) => events.some((event) => event.id === id))), idsOf(expected))
    assert.equal(new Set(idsOf(found)).size, found.length)
  })

  test('a cursor continues alone or with the same filters; other filters, altered, foreign and expired cursors are refused', async () => {
    const { next } = await page('?limit=2&type=Bounce&type=Click')
    assert(next)
    const again = await page(`?type=Bounce&type=Click&cursor=${next}`)
    assert.deepEqual(again, await page(`?cursor=${next}`))
    const refused: [string, string?][] = [
      [`?type=Bounce&cursor=${next}`],
      [`?q=x&cursor=${next}`],
      [`?cursor=${next.slice(1)}`],
      ['?cursor=rubbish'],
      [`?cursor=${next}`, fixture.rival.key],
    ]
    for (const [query, key] of refused)
      assert.equal((await fixture.get(`/v1/events${query}`, key)).statusCode, 400, query)
    await using later = await openAppFixture()
    await later.ingest([later.event(), later.event()])
    const { next: old } = (await later.get('/v1/events?limit=1')).json<EventsPage>()
    later.advance(24 * 3_600_000 + 1)
    assert.match((await later.get(`/v1/events?cursor=${old}`)).body, /expired/)
  })

  test('a search that cannot be understood is refused with the part that is wrong', async () => {
    for (const [q, part] of [
      ['anna type:Bouncd', 'type:Bouncd: not a type of event'],
      ['"your letter', '"your letter: the quotation mark is not closed'],
      ['code:9999', 'code:9999: not a response code'],
    ] as const) {
      const answer = await fixture.get(`/v1/events?q=${encodeURIComponent(q)}`)
      assert.equal(answer.statusCode, 400)
      assert.ok(answer.json<{ message: string }>().message.startsWith(`Invalid q: ${part}`), answer.body)
    }
    assert.equal((await fixture.get('/v1/events?q=ip:192.0.2.1')).statusCode, 403)
    assert.equal((await fixture.get('/v1/events?q=domain:rival.test')).statusCode, 400)
  })

  test("invalid values are refused with the parameter's name", async () => {
    const refused = [
      'type=bounce',
      'code=5550',
      'code=x55',
      'code=500-400',
      'from=yesterday',
      'to=2026',
      'limit=0',
      'format=xml',
      'from=2026-01-15&to=2026-01-15',
      `domain=${'a.test&domain='.repeat(101)}a.test`,
    ]
    for (const query of refused) {
      const answer = await fixture.get(`/v1/events?${query}`)
      assert.equal(answer.statusCode, 400, query)
      const name = query.split('=')[0] ?? ''
      assert(answer.json<{ message: string }>().message.includes(name), answer.body)
    }
  })

  test("another tenant's domain is refused like one that does not exist, in every format", async () => {
    for (const format of ['json', 'csv', 'ndjson']) {
      const foreign = await fixture.get(`/v1/events?format=${format}&domain=rival.test`)
      const missing = await fixture.get(`/v1/events?format=${format}&domain=nowhere.test`)
      assert.equal(foreign.statusCode, 400)
      assert.equal(foreign.body, missing.body)
    }
  })
})

describe('a file', () => {
  test('in NDJSON has every matching event, unchanged', async () => {
    const answer = await fixture.get('/v1/events?format=ndjson&limit=1&type=Bounce')
    assert.equal(answer.headers['content-type'], 'application/x-ndjson; charset=utf-8')
    assert.equal(answer.headers['content-disposition'], 'attachment; filename="events-2026-01-15.ndjson"')
    assert.equal(answer.headers['x-accel-buffering'], 'no')
    const found = answer.body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as EmailEvent)
    assert.deepEqual(
      found,
      events.filter((event) => isOwn(event) && event.type === 'Bounce'),
    )
  })

  test('in CSV neutralizes formulas, and has its header even if nothing matches', async () => {
    const answer = await fixture.get(`/v1/events?format=csv&message_id=${events[0]?.id}`)
    assert.equal(answer.statusCode, 200)
    assert.match(String(answer.headers['content-type']), /^text\/csv/)
    assert(answer.body.includes(`,"'${EVIL.replaceAll('"', '""')}",`), answer.body)
    const empty = await fixture.get('/v1/events?format=csv&q=no-such-thing')
    assert.match(empty.body, /^time,timestamp,[^\n]*\r\n$/)
  })

  test('is refused before any of it is sent', async () => {
    const answer = await fixture.get('/v1/events?format=csv&from=2026-01-15&to=2026-01-14')
    assert.equal(answer.statusCode, 400)
    assert.equal(answer.headers['content-disposition'], undefined)
  })
})

test('an export whose client does not read does not delay the shutdown', { timeout: 120_000 }, async () => {
  await using stopping = await openAppFixture({ closeGraceMs: 3_600_000 })
  // More than the buffers of both ends hold.
  const response_content = 'x'.repeat(60_000)
  for (let part = 0; part < 10; part++) {
    await stopping.ingest(
      Array.from({ length: 40 }, (_, index) => stopping.event({ id: `m${part}-${index}`, response_content })),
    )
  }
  await stopping.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = stopping.app.server.address() as AddressInfo
  const client = connect({ port, host: '127.0.0.1' })
  client.write(`GET /v1/events?format=ndjson HTTP/1.1\r\nhost: a\r\nauthorization: ${stopping.acme.key}\r\n\r\n`)
  // Its first bytes have arrived, and are not taken.
  await once(client, 'readable')
  client.on('error', () => undefined)
  await stopping.app.close()
  client.destroy()
})
