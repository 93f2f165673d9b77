import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type AppFixture, FIXTURE_START_MS, openAppFixture } from '../../../../test/harness/app/app-fixture.ts'
import type { Series } from './series.wire.ts'

let fixture: AppFixture
const NOW = FIXTURE_START_MS / 1000
const HOUR = 3600

before(async () => {
  fixture = await openAppFixture()
  await fixture.ingest([
    fixture.event({ timestamp: NOW - 10, type: 'Delivery', provider_name: 'Google' }),
    fixture.event({ timestamp: NOW - 20, type: 'Delivery', provider_name: 'Google', domain_name: 'mail.acme.test' }),
    fixture.event({ timestamp: NOW - 30, type: 'Delivery' }),
    fixture.event({ timestamp: NOW - HOUR - 1, type: 'Bounce', bounce_classification: 'SpamBlock' }),
    fixture.event({ timestamp: NOW - 40 * HOUR, type: 'Bounce', provider_name: 'Google' }),
    fixture.event({ timestamp: NOW - 10, type: 'Click', domain_name: 'rival.test', provider_name: 'Secret' }),
  ])
})
after(() => fixture[Symbol.asyncDispose]())

async function series(query: string, key?: string): Promise<Series> {
  const answer = await fixture.get(`/v1/stats/series${query}`, key)
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json<Series>()
}

const totals = ({ series: found }: Series) => Object.fromEntries(found.map(({ key, total }) => [key, total]))

test('counts by type and hour cover the last 24 hours, the largest series first, with zeros filled in', async () => {
  const found = await series('')
  assert.deepEqual([found.bucket, found.group, found.times.length], ['hour', 'type', 24])
  assert.equal(found.to, new Date((NOW + HOUR) * 1000).toISOString())
  assert.equal(found.from, found.times[0])
  assert.deepEqual(totals(found), { Delivery: 3, Bounce: 1 })
  assert.deepEqual(found.series[0]?.counts.slice(-3), [0, 3, 0])
  assert.deepEqual(found.series[1]?.counts.slice(-3), [1, 0, 0])
})

test('counts by day cover the last 30 days, in UTC', async () => {
  const found = await series('?bucket=day')
  assert.equal(found.times.length, 30)
  assert.equal(found.times.at(-1), '2026-01-15T00:00:00.000Z')
  assert.deepEqual(found.series.find(({ key }) => key === 'Bounce')?.counts.slice(-3), [1, 0, 1])
})

test('counts can be grouped by provider, classification and domain, and filtered', async () => {
  const days = 'bucket=day&'
  assert.deepEqual(totals(await series(`?${days}group=provider`)), { Google: 3, '': 2 })
  assert.deepEqual(totals(await series(`?${days}group=classification&type=Bounce`)), { SpamBlock: 1, '': 1 })
  assert.deepEqual(totals(await series(`?${days}group=domain`)), { 'acme.test': 4, 'mail.acme.test': 1 })
  assert.deepEqual(totals(await series(`?${days}group=type&provider=Google&domain=acme.test`)), {
    Delivery: 1,
    Bounce: 1,
  })
})

test('counts by figure add up to those by type, and a figure selects the events that it counts', async () => {
  await using other = await openAppFixture()
  const attempt = { domain_name: 'acme.test', timestamp: NOW - 10 }
  await other.ingest([
    ...(['TransientFailure', 'Delayed', 'Bounce', 'Delivery', 'OOBBounce'] as const).map((type) =>
      other.event({ ...attempt, type, provider_name: 'Google' }),
    ),
    other.event({ ...attempt, type: 'Delivery' }),
  ])
  const get = async (query: string) => (await other.get(`/v1/stats/series?${query}`)).json<Series>()
  const found = await get('group=figure')
  assert.equal(found.group, 'figure')
  assert.deepEqual(totals(found), { delivered: 2, bounced: 1, deferred: 1, delayed: 1, late_bounces: 1 })
  assert.deepEqual(found.series[0]?.counts.slice(-2), [2, 0])
  assert.deepEqual(totals(await get('group=type&figure=bounced&figure=deferred')), { Bounce: 1, TransientFailure: 1 })
  assert.deepEqual(totals(await get('group=provider&figure=delivered')), { Google: 1, '': 1 })
  const limited = await get('group=figure&limit=1')
  assert.deepEqual([totals(limited), limited.rest.keys, limited.rest.total], [{ delivered: 2 }, 4, 4])
  for (const query of ['figure=bounced&type=Bounce', 'figure=Bounce', 'group=figures']) {
    assert.equal((await other.get(`/v1/stats/series?${query}`)).statusCode, 400, query)
  }
})

test('series above the limit are added up', async () => {
  const { series: found, rest } = await series('?bucket=day&group=provider&limit=1')
  assert.deepEqual([found.length, rest.keys, rest.total], [1, 1, 2])
  assert.equal(
    rest.counts.reduce((sum, count) => sum + count),
    2,
  )
})

test('a window is rounded outwards to whole buckets', async () => {
  const found = await series('?from=2026-01-15T10:30:00Z&to=2026-01-15T11:00:01Z')
  assert.deepEqual(found.times, ['2026-01-15T10:00:00.000Z', '2026-01-15T11:00:00.000Z'])
  assert.equal(found.to, '2026-01-15T12:00:00.000Z')
})

test("another tenant's counts and domains are not included", async () => {
  assert.equal((await fixture.get('/v1/stats/series?domain=rival.test')).statusCode, 400)
  assert(!(await fixture.get('/v1/stats/series?group=provider')).body.includes('Secret'))
  assert.deepEqual(totals(await series('?group=provider', fixture.rival.key)), { Secret: 1 })
})

test('requests that cannot be charted are refused', async () => {
  for (const query of [
    'bucket=year',
    'group=x',
    'from=2020-01-01',
    'from=2026-02-01',
    'from=2026-01-02&to=2026-01-01',
  ]) {
    assert.equal((await fixture.get(`/v1/stats/series?${query}`)).statusCode, 400, query)
  }
})
