import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type AppFixture, openAppFixture } from '../../../test/harness/app/app-fixture.ts'
import { type EmailEvent, EVENT_TYPES } from '../../events/event.ts'

interface Page {
  events: EmailEvent[]
  count: number
  filters_applied: Record<string, string>
  next_token?: string
}

let fixture: AppFixture
let nowSeconds: number
before(async () => {
  fixture = await openAppFixture()
  nowSeconds = fixture.nowMs / 1000
})
after(() => fixture[Symbol.asyncDispose]())

async function getPage(query = '', domain = 'acme.test'): Promise<Page> {
  const answer = await fixture.get(`/webhooks/${domain}${query}`)
  assert.equal(answer.statusCode, 200, answer.body)
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
  return answer.json()
}

async function refusal(query: string): Promise<string> {
  const answer = await fixture.get(`/webhooks/acme.test${query}`)
  assert.equal(answer.statusCode, 400, `${query} was answered ${answer.statusCode}`)
  const { error, message, ...rest } = answer.json<{ error: number; message: string }>()
  assert.equal(error, 400)
  assert.deepEqual(rest, {})
  return message
}

describe('200', () => {
  test('an empty log is an empty page, without a token', async () => {
    assert.deepEqual(await getPage('', 'mail.acme.test'), {
      events: [],
      count: 0,
      filters_applied: { start_timestamp: String(nowSeconds - 15 * 86_400), end_timestamp: String(nowSeconds) },
    })
  })

  test('an event is returned with exactly the fields that were sent', async () => {
    const event: Required<EmailEvent> = {
      id: 'd3b0ac5e-6d0a-4b4e-9f0f-2d8a4c1c7b11',
      timestamp: nowSeconds - 100,
      type: 'TransientFailure',
      domain_name: 'mail.acme.test',
      recipient: 'jürgen+tag@exämple.net',
      sender: '',
      from: '"Acme 💌" <hello@mail.acme.test>',
      subject: 'Quotes " and \\ and \u2028 and </script>',
      response_code: 451,
      response_content: '4.7.1 Greylisted,\r\ncome back later',
      response_enhanced_code: '',
      provider_name: 'Example',
      peer_name: 'mx.example.net',
      bounce_classification: 'Greylisted',
      num_attempts: 3,
      size: 12_345,
      service_message_id: 'abc',
      direction: 'outbound',
      campaign: null,
      reception_protocol: 'HTTP',
      delivery_protocol: 'ESMTP',
      tls_protocol_version: 'TLSv1.3',
      tls_cipher: 'TLS_AES_256_GCM_SHA384',
    }
    await fixture.ingest([event])
    const { events, count } = await getPage('', 'mail.acme.test')
    assert.equal(count, 1)
    assert.deepEqual(events, [event])
  })

  test('every filter narrows the listing, combines with the others, and is echoed as a string', async () => {
    const match = fixture.event({
      type: 'Bounce',
      recipient: 'Needle@example.net',
      sender: 'envelope-needle@acme.test',
      from: 'Needle <hello@acme.test>',
      subject: '100% _needle_ * "quoted"',
      response_code: 550,
      timestamp: nowSeconds - 1000,
    })
    await fixture.ingest([match, fixture.event(), fixture.event({ type: 'Bounce', response_code: 550 })])
    const filters = {
      type: 'Bounce',
      recipient: 'needle@EXAMPLE',
      sender: 'ENVELOPE-needle',
      from: 'needle <',
      subject: '100% _NEEDLE_ * "q',
      response_code: '550',
      start_timestamp: String(nowSeconds - 1000),
      end_timestamp: String(nowSeconds - 1000),
    }
    const all = await getPage(`?${new URLSearchParams(filters).toString()}`)
    assert.deepEqual(all.events, [match])
    assert.deepEqual(all.filters_applied, filters)
    for (const [name, value] of Object.entries(filters)) {
      const page = await getPage(`?${new URLSearchParams({ [name]: value }).toString()}&limit=1000`)
      assert(
        page.events.some(({ id }) => id === match.id),
        name,
      )
      assert.equal(page.filters_applied[name], value)
    }
    for (const name of ['recipient', 'sender', 'from', 'subject']) {
      const page = await getPage(`?${new URLSearchParams({ ...filters, [name]: 'no such text' }).toString()}`)
      assert.deepEqual(page.events, [], name)
    }
  })

  test('each of the nine types can be filtered by', async () => {
    await fixture.ingest(EVENT_TYPES.map((type) => fixture.event({ type })))
    for (const type of EVENT_TYPES) {
      const { events } = await getPage(`?type=${type}&limit=1000`)
      assert(events.length > 0)
      assert(events.every((event) => event.type === type))
    }
  })

  test('following the tokens returns every event once, newest first, and the last page has no token', async () => {
    await using own = await openAppFixture()
    const sent = Array.from({ length: 23 }, (_, index) =>
      own.event({ timestamp: nowSeconds - 60 - Math.floor(index / 3), subject: 'Page me' }),
    )
    await own.ingest(sent)
    const seen: EmailEvent[] = []
    let url = '/webhooks/acme.test?subject=page&limit=5'
    for (let pages = 1; ; pages++) {
      const page = (await own.get(url)).json<Page>()
      assert.equal(page.count, page.events.length)
      assert.equal(page.filters_applied['subject'], 'page')
      seen.push(...page.events)
      if (page.next_token === undefined) break
      assert(pages < 10)
      // New events arrive between pages; the window is that of the first page. The limit may change.
      own.advance(1000)
      await own.ingest([own.event({ timestamp: own.nowMs / 1000, subject: 'Page me not' })])
      url = `/webhooks/acme.test?limit=${4 + pages}&next_token=${page.next_token}${pages % 2 ? '&subject=page' : ''}`
    }
    assert.deepEqual(new Set(seen.map(({ id }) => id)), new Set(sent.map(({ id }) => id)))
    assert.equal(seen.length, sent.length)
    assert.deepEqual(
      seen,
      seen.toSorted((a, b) => b.timestamp - a.timestamp),
    )
  })

  test('limit: 50 by default, and 1000 if it is larger', async () => {
    await using own = await openAppFixture()
    await own.ingest(Array.from({ length: 1005 }, () => own.event()))
    for (const [query, count] of [
      ['', 50],
      ['?limit=1', 1],
      ['?limit=1000', 1000],
      ['?limit=1001', 1000],
      ['?limit=9007199254740991', 1000],
      ['?limit=9223372036854775807', 1000],
    ] as const) {
      const page = (await own.get(`/webhooks/acme.test${query}`)).json<Page>()
      assert.equal(page.count, count, query)
      assert.equal(page.events.length, count)
      assert(page.next_token)
    }
  })

  test('message_id: returns all events of the message and ignores all other parameters, even invalid ones', async () => {
    const id = 'message-1'
    const old = fixture.event({ id, type: 'Reception', timestamp: nowSeconds - 40 * 86_400 })
    const recent = fixture.event({ id, type: 'Delivery', timestamp: nowSeconds - 10 })
    await fixture.ingest([old, recent, fixture.event()])
    const rest = '&type=rubbish&limit=0&limit=1&next_token=x&start_timestamp=-1&response_code=x&subject=none'
    for (const query of ['', rest]) {
      const page = await getPage(`?message_id=${id}${query}`)
      assert.deepEqual(page, { events: [recent, old], count: 2, filters_applied: { message_id: id } })
    }
    const unknown = await getPage('?message_id=unknown')
    assert.deepEqual(unknown, { events: [], count: 0, filters_applied: { message_id: 'unknown' } })
  })

  test('empty text filters, an empty token and unknown parameters are ignored', async () => {
    const page = await getPage('?recipient=&sender=&from=&subject=&next_token=&page=7&page=8&__proto__=x&limit=1')
    assert.deepEqual(Object.keys(page.filters_applied), ['start_timestamp', 'end_timestamp'])
    assert.equal(page.count, 1)
  })

  test("the brand is part of its field's name, in responses and in the documentation", async () => {
    await using own = await openAppFixture({ serviceMessageIdField: 'acme_message_id' })
    await own.ingest([own.event({ service_message_id: 'abc' })])
    const [event] = (await own.get('/webhooks/acme.test')).json<{ events: Record<string, unknown>[] }>().events
    assert.equal(event?.['acme_message_id'], 'abc')
    assert(!('service_message_id' in (event ?? {})))
    for (const document of ['logs', 'operations']) {
      const { body } = await own.get(`/openapi/${document}.json`, null)
      assert(body.includes('"acme_message_id"'))
      assert(!body.includes('service_message_id'))
    }
  })
})

describe('400', () => {
  test('no domain', async () => {
    for (const url of ['/webhooks', '/webhooks/', '/webhooks?limit=1', '/webhooks/?limit=1']) {
      const answer = await fixture.get(url)
      assert.deepEqual(answer.json(), { error: 400, message: 'Domain missing: use /webhooks/{domain}' })
    }
  })

  const refused: [string, RegExp][] = [
    [
      '?limit=0',
      /^Invalid limit: 0 is too small\. Allowed: a whole number of at least 1 \(above 1000 it counts as 1000\)\.$/,
    ],
    ['?limit=-1', /^Invalid limit: -1 is too small/],
    ['?limit=', /^Invalid limit: it is empty/],
    ['?limit=0x10', /^Invalid limit: "0x10" is not a whole number/],
    ['?limit=1e2', /^Invalid limit: /],
    ['?limit=5.0', /^Invalid limit: /],
    ['?limit=1&limit=1', /^Invalid limit: it was sent more than once/],
    [
      '?type=delivery',
      /^Invalid type: .*one of Reception, Delivery, Opened, Click, TransientFailure, Delayed, Bounce, OOBBounce, Feedback/,
    ],
    ['?type=', /^Invalid type: /],
    ['?type=Bounce,Delivery', /^Invalid type: /],
    ['?type=Bounce&type=Bounce', /^Invalid type: it was sent more than once/],
    ['?message_id=', /^Invalid message_id: it is empty/],
    ['?message_id=a&message_id=b', /^Invalid message_id: it was sent more than once/],
    ['?response_code=', /^Invalid response_code: it is empty/],
    ['?response_code=-1', /^Invalid response_code: -1 is too small.*from 0 to 999/],
    ['?response_code=1000', /^Invalid response_code: 1000 is too large/],
    ['?response_code=5xx', /^Invalid response_code: /],
    ['?start_timestamp=', /^Invalid start_timestamp: it is empty/],
    ['?start_timestamp=-1', /^Invalid start_timestamp: -1 is too small/],
    ['?start_timestamp=1768478400000', /^Invalid start_timestamp: 1768478400000 looks like milliseconds/],
    ['?end_timestamp=100000000000', /^Invalid end_timestamp: 100000000000 looks like milliseconds/],
    ['?end_timestamp=2026-01-15', /^Invalid end_timestamp: /],
    ['?start_timestamp=2000&end_timestamp=1999', /start_timestamp \(2000\) is after end_timestamp \(1999\)/],
    ['?end_timestamp=1', /start_timestamp .* is after end_timestamp \(1\)/],
    [`?subject=${'x'.repeat(1025)}`, /^Invalid subject: it has 1025 characters.*at most 1024/],
    ['?recipient=a&recipient=b', /^Invalid recipient: it was sent more than once/],
    ['?from=a&from=', /^Invalid from: it was sent more than once/],
    ['?next_token=a&next_token=b', /^Invalid next_token: it was sent more than once/],
  ]
  for (const [query, message] of refused) {
    test(query.slice(0, 60), async () => assert.match(await refusal(query), message))
  }

  test('the largest timestamp that is not taken for milliseconds is accepted, and so are both ends of the codes', async () => {
    await getPage('?start_timestamp=0&end_timestamp=99999999999')
    await getPage('?response_code=0')
    await getPage('?response_code=999')
    await getPage(`?subject=${'x'.repeat(1024)}`)
  })

  test('a token that was altered, belongs to another domain or tenant, comes with other filters, or has expired', async () => {
    await using own = await openAppFixture()
    await own.ingest([own.event(), own.event(), own.event({ domain_name: 'mail.acme.test' })])
    const { next_token: token = '' } = (await own.get('/webhooks/acme.test?limit=1&type=Delivery')).json<Page>()
    const status = async (url: string, key?: string) => (await own.get(url, key)).statusCode
    assert.equal(await status(`/webhooks/acme.test?next_token=${token}`), 200)
    assert.equal(await status(`/webhooks/acme.test?next_token=${token}&type=Delivery`), 200)
    for (const changed of [
      `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`,
      token.slice(1),
      `${token}=`,
      `${token}A`,
      'rubbish',
      '%00',
    ]) {
      assert.equal(await status(`/webhooks/acme.test?next_token=${changed}`), 400, changed)
    }
    assert.equal(await status(`/webhooks/acme.test?next_token=${token}&type=Bounce`), 400)
    assert.equal(await status(`/webhooks/acme.test?next_token=${token}&subject=x`), 400)
    assert.equal(await status(`/webhooks/mail.acme.test?next_token=${token}`), 400)
    assert.equal(await status(`/webhooks/rival.test?next_token=${token}`, own.rival.key), 400)
    own.advance(24 * 3_600_000 + 1)
    assert.equal(await status(`/webhooks/acme.test?next_token=${token}`), 400)
  })
})
