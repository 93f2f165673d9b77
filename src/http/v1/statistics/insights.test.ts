import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type AppFixture, FIXTURE_START_MS, openAppFixture } from '../../../../test/harness/app/app-fixture.ts'
import type { EmailEvent } from '../../../events/event.ts'
import type { DeliveryTimes } from './delivery-times.wire.ts'
import type { Insights } from './insights.wire.ts'

let fixture: AppFixture
const NOW = FIXTURE_START_MS / 1000
const HOUR = 3600

interface Events {
  readonly events: readonly EmailEvent[]
}

/** Deliveries in each of the 24 hours before. */
function deliveries(endAt: number, fields: Partial<EmailEvent>): readonly EmailEvent[] {
  return Array.from({ length: 240 }, (_, index) =>
    fixture.event({
      timestamp: endAt - (index % 24) * HOUR - 60,
      type: 'Delivery',
      provider_name: 'Web.de',
      ...fields,
    }),
  )
}

function bounces(count: number, fields: Partial<EmailEvent> = {}): readonly EmailEvent[] {
  return Array.from({ length: count }, (_, index) =>
    fixture.event({
      timestamp: NOW - (index % 2) * HOUR - 90,
      type: 'Bounce',
      provider_name: 'Web.de',
      bounce_classification: 'SpamBlock',
      response_code: 554,
      response_content: `554 5.7.1 listed at bl.example (192.0.2.${index % 250})`,
      ...fields,
    }),
  )
}

/** Received and delivered 20 hours ago, in 1 to 30 seconds. */
function timedDeliveries(domain: string, provider: string): readonly EmailEvent[] {
  return Array.from({ length: 30 }, (_, index) => {
    const timestamp = NOW - 20 * HOUR + index
    const delivery = fixture.event({ timestamp, type: 'Delivery', provider_name: provider, domain_name: domain })
    const { provider_name: _provider, ...message } = delivery
    return [{ ...message, type: 'Reception' as const, timestamp: timestamp - index - 1 }, delivery]
  }).flat()
}

before(async () => {
  fixture = await openAppFixture()
  await fixture.ingest([
    ...deliveries(NOW, {}),
    ...deliveries(NOW - 7 * 24 * HOUR, {}),
    ...bounces(90),
    ...bounces(10, { domain_name: 'mail.acme.test' }),
    ...deliveries(NOW, { domain_name: 'rival.test', provider_name: 'Secret' }),
    ...timedDeliveries('acme.test', 'Gmail'),
    ...timedDeliveries('rival.test', 'Secret'),
    ...bounces(300, { domain_name: 'rival.test', provider_name: 'Secret', response_content: 'secret' }),
  ])
})
after(() => fixture[Symbol.asyncDispose]())

async function insights(path = '/v1/insights', key?: string): Promise<Insights> {
  const answer = await fixture.get(path, key)
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json<Insights>()
}

test('a spike is described in a sentence and in data, and its query lists its events', async () => {
  const { findings, comparison, omitted, isComplete } = await insights()
  assert.deepEqual([comparison, omitted, isComplete], [{ basis: 'weeks', weeks: 1, hours: 0 }, 0, true])
  const [finding] = findings
  assert.equal(findings.length, 1)
  assert(finding)
  assert.equal(
    finding.sentence,
    'Web.de: 100 bounces since 10:00 UTC (usually 0), 554 5.7.1 listed at bl.example (*), 2 domains, 83 % of all mail in this time.',
  )
  const { figure, provider, code, text, since, until, count, domains, addresses, query } = finding
  assert.deepEqual([figure, provider, code, count], ['bounced', 'Web.de', 554, 100])
  assert.deepEqual([text, since, until], ['554 5.7.1 listed at bl.example (*)', '2026-01-15T10:00:00.000Z', null])
  assert.deepEqual(domains.largest, [
    { value: 'acme.test', count: 90 },
    { value: 'mail.acme.test', count: 10 },
  ])
  assert.deepEqual(addresses, [])
  const listed = [{ code: 554, text: '554 5.7.1 listed at bl.example (*)', count: 100 }]
  assert.deepEqual(finding.replies, { examined: 100, isComplete: true, unlisted: 0, listed })
  const { events } = (await fixture.get(`/v1/events?limit=1000&${query}`)).json<Events>()
  assert.equal(events.length, 100)
  assert(events.every(({ type, provider_name }) => type === 'Bounce' && provider_name === 'Web.de'))
})

test('without history there is nothing to compare with', async () => {
  await using own = await openAppFixture()
  const { comparison, findings } = (await own.get('/v1/insights')).json<Insights>()
  assert.deepEqual([comparison, findings], [{ basis: 'none', weeks: 0, hours: 0 }, []])
})

test('a domain, a tenant and all tenants have their own findings', async () => {
  const count = ({ findings }: Insights) => findings.map(({ provider, count: events }) => [provider, events])
  assert.deepEqual(count(await insights('/v1/insights?domain=acme.test')), [['Web.de', 90]])
  assert.deepEqual(count(await insights('/v1/insights?domain=mail.acme.test')), [])
  assert.deepEqual(count(await insights('/v1/insights', fixture.rival.key)), [['Secret', 300]])
  const all = await insights('/v1/admin/insights', fixture.operatorKey)
  assert.deepEqual(count(all), [
    ['Secret', 300],
    ['Web.de', 100],
  ])
  assert.deepEqual(
    all.findings.map(({ isNew, sentence }) => [isNew, /\((?:usually|not seen)[^)]*\)/.exec(sentence)?.[0]]),
    [
      [true, '(not seen in the earlier weeks)'],
      [false, '(usually 0)'],
    ],
  )
  const ofAcme = await insights('/v1/admin/insights?tenant=acme', fixture.operatorKey)
  assert.deepEqual(count(ofAcme), [['Web.de', 100]])
  const query = ofAcme.findings[0]?.query ?? ''
  const { events } = (await fixture.get(`/v1/admin/events?limit=1000&${query}`, fixture.operatorKey)).json<Events>()
  assert.equal(events.length, 100)
})

test('an address that fails at several providers is a finding for operators, which tenants do not see', async () => {
  await using own = await openAppFixture()
  const address = '203.0.113.7'
  const providers = ['Gmail', 'Outlook', 'Web.de', 'Yahoo']
  const mail = [address, '203.0.113.8', '203.0.113.9'].flatMap((sending_address) =>
    deliveries(NOW, { provider_name: 'Gmail' }).map((event) => ({ ...event, sending_address })),
  )
  const refused = providers
    .flatMap((provider_name) => bounces(30, { provider_name }))
    .map((event) => ({ ...event, sending_address: address }))
  await own.ingest([...mail, ...refused])
  const [finding, ...others] = (await own.get('/v1/admin/insights', own.operatorKey)).json<Insights>().findings
  assert.deepEqual(others, [])
  assert.equal(
    finding?.sentence,
    '203.0.113.7: 120 bounces since 10:00 UTC at 4 providers, 554 5.7.1 listed at bl.example (*), acme.test, 67 % of all mail in this time.',
  )
  const { address: found, provider, providers: count, classification, query } = finding
  assert.deepEqual([found, provider, count, classification], [address, null, 4, null])
  assert.equal(new URLSearchParams(query).get('sending_address'), address)
  const listed = await own.get(`/v1/admin/events?limit=1000&${query}`, own.operatorKey)
  assert.equal(listed.json<Events>().events.length, 120)
  const ofTenant = await own.get('/v1/insights')
  assert(!ofTenant.body.includes('203.0.113.'), ofTenant.body)
  assert.deepEqual(
    ofTenant
      .json<Insights>()
      .findings.map((of) => `${of.provider} ${of.address} ${of.count}`)
      .toSorted(),
    providers.map((name) => `${name} null 30`),
  )
})

test('times from reception to delivery are those of the tenant, by provider and over time', async () => {
  const { providers, times, count, isComplete, from, to } = (
    await fixture.get('/v1/stats/delivery-times')
  ).json<DeliveryTimes>()
  assert.deepEqual([from, to], ['2026-01-14T12:00:00.000Z', '2026-01-15T12:00:00.000Z'])
  assert.equal(times[0], from)
  const [gmail, ...others] = providers
  assert.deepEqual([gmail?.provider, gmail?.count, gmail?.median, gmail?.percentile95], ['Gmail', 30, 15, 29])
  assert.deepEqual([others, count, times.length, isComplete], [[], 30, 24, true])
  assert.deepEqual(
    gmail?.parts.filter((part) => part.count > 0),
    [{ count: 30, median: 15, percentile95: 29 }],
  )
  const all = await fixture.get('/v1/admin/stats/delivery-times', fixture.operatorKey)
  assert.deepEqual(
    all
      .json<DeliveryTimes>()
      .providers.map(({ provider }) => provider)
      .sort(),
    ['Gmail', 'Secret'],
  )
  const refused = await fixture.get('/v1/stats/delivery-times?from=2026-01-15&to=2026-01-14')
  assert.equal(refused.statusCode, 400)
})

test('a key without the scope of the log gets no replies', async () => {
  const { key } = await fixture.createKey(fixture.acme.tenant, ['domainStats'])
  const [finding] = (await insights('/v1/insights', key)).findings
  assert.equal(
    finding?.sentence,
    'Web.de: 100 bounces since 10:00 UTC (usually 0), SpamBlock, 2 domains, 83 % of all mail in this time.',
  )
  assert.deepEqual([finding?.code, finding?.text], [null, null])
  assert.deepEqual(finding?.replies, { examined: 0, isComplete: false, unlisted: 0, listed: [] })
})
