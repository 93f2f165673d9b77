import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type AppFixture, openAppFixture } from '../../../../test/harness/app/app-fixture.ts'
import { type EmailEvent, EVENT_TYPES } from '../../../events/event.ts'
import type { EventsPage } from './events.wire.ts'
import type { Facets } from './facets.wire.ts'

let fixture: AppFixture
const OWN = ['acme.test', 'mail.acme.test']

before(async () => {
  fixture = await openAppFixture()
  const events = Array.from({ length: 90 }, (_, index) =>
    fixture.event({
      type: EVENT_TYPES[index % 4] ?? 'Delivery',
      timestamp: Math.floor(fixture.nowMs / 1000) - 700 * index,
      domain_name: [...OWN, 'rival.test'][index % 3] ?? '',
      subject: `Letter ${index % 7} for you`,
      ...(index % 5 > 0 && { response_code: [250, 451, 550, 554][index % 4] ?? 250 }),
      ...(index % 3 > 0 && { response_content: `${['queued as', 'Please see'][index % 2]} ${index}x${index}, later` }),
      ...(index % 2 === 0 && {
        provider_name: index % 4 === 0 ? 'Gmail' : 'Yahoo',
        bounce_classification: 'SpamBlock',
      }),
    }),
  )
  await fixture.ingest(events)
})
after(() => fixture[Symbol.asyncDispose]())

async function get<T>(path: string, key?: string): Promise<T> {
  const answer = await fixture.get(path, key)
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json<T>()
}

const VALUE_OF: Readonly<Record<string, (event: EmailEvent) => string | number | undefined>> = {
  type: ({ type }) => type,
  domain: (event) => event.domain_name,
  provider: (event) => event.provider_name,
  classification: (event) => event.bounce_classification,
  code: (event) => event.response_code,
  reply: (event) => event.response_content?.replace(/\d+x\d+/, '*'),
}

describe('facets', () => {
  test('are those of the events that the same search returns, for every kind of filter', async () => {
    for (const query of [
      '',
      'type=Delivery&type=Click',
      'q=letter+3',
      'q=-type:Opened+code:5xx',
      'not_provider=Gmail&not_domain=acme.test',
      'subject=letter&provider=Yahoo',
      'q=nobody',
      'reply=queued+as+*,+later',
      'reply=Please+see+*,+later&reply=none&not_reply=queued+as+*,+later&type=Bounce&type=Delivery',
      'not_reply=queued+as+*,+later&q=letter',
      `from=${new Date(fixture.nowMs - 20_000_000).toISOString()}&code=250`,
    ]) {
      const { events } = await get<EventsPage>(`/v1/events?limit=1000&${query}`)
      const found = await get<Facets>(`/v1/events/facets?${query}`)
      assert.equal(found.total, events.length, query)
      assert.ok(found.isExact)
      assert.deepEqual(
        found.facets.map(({ name }) => name),
        Object.keys(VALUE_OF),
      )
      for (const { name, values, isExact, isNewestOnly, more } of found.facets) {
        const expected = new Map<string, number>()
        for (const event of events) {
          const value = String(VALUE_OF[name]?.(event) ?? '')
          if (value !== '') expected.set(value, (expected.get(value) ?? 0) + 1)
        }
        assert.deepEqual(new Map(values.map(({ value, count }) => [value, count])), expected, `${query} ${name}`)
        assert.deepEqual([isExact, isNewestOnly, more], [true, false, 0])
        assert.ok(values.every(({ count }, at) => at === 0 || count <= (values[at - 1]?.count ?? 0)))
      }
      assert.equal(
        found.buckets.reduce((sum, { count }) => sum + count, 0),
        events.length,
      )
      for (const { from, type, count } of found.buckets) {
        const start = Date.parse(from) / 1000
        const isIn = ({ timestamp }: EmailEvent) => timestamp >= start && timestamp < start + found.bucketSeconds
        assert.equal(events.filter((event) => event.type === type && isIn(event)).length, count)
      }
    }
  })

  test('by masked reply find events with it; a mask that is too long is refused', async () => {
    const { facets } = await get<Facets>('/v1/events/facets')
    const values = facets.find(({ name }) => name === 'reply')?.values ?? []
    assert.deepEqual(values.map(({ value }) => value).sort(), ['Please see *, later', 'queued as *, later'])
    for (const { value, count } of values) {
      const { events } = await get<EventsPage>(`/v1/events?limit=1000&reply=${encodeURIComponent(value)}`)
      assert.equal(events.length, count)
    }
    for (const wrong of ['', '*'.repeat(242)]) {
      assert.equal((await fixture.get(`/v1/events?reply=${wrong}`)).statusCode, 400, wrong)
      assert.equal((await fixture.get(`/v1/events/facets?not_reply=${wrong}`)).statusCode, 400, wrong)
    }
  })

  test('name the most frequent values up to the limit, and how many there are besides', async () => {
    const { facets } = await get<Facets>('/v1/events/facets?limit=1')
    const types = facets.find(({ name }) => name === 'type')
    assert.deepEqual([types?.values.length, types?.more], [1, 3])
  })

  test('by where messages were sent from are for the operator alone', async () => {
    const { facets } = await get<Facets>('/v1/admin/events/facets', fixture.operatorKey)
    assert.ok(facets.some(({ name }) => name === 'sending_address'))
    const refused = await fixture.get('/v1/events/facets?q=-ip:192.0.2.1')
    assert.equal(refused.statusCode, 403)
  })
})
