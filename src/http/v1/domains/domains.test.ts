import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type AppFixture, openAppFixture } from '../../../../test/harness/app/app-fixture.ts'
import type { DomainDetail, DomainSummaries } from './domains.wire.ts'
import type { DomainCheck } from './verify-domain.wire.ts'

let fixture: AppFixture
before(async () => {
  fixture = await openAppFixture()
  for (const { name, value } of fixture.acme.domains[0].dnsRecords) {
    fixture.dns.set(name, { kind: 'records', values: [value] })
  }
})
after(() => fixture[Symbol.asyncDispose]())

test('only the tenant’s own domains are listed, by name', async () => {
  const { domains } = (await fixture.get('/v1/domains')).json<DomainSummaries>()
  assert.deepEqual(
    domains.map(({ name, active, verified, status, lastCheckAt }) => [name, active, verified, status, lastCheckAt]),
    [
      ['acme.test', true, false, 'unverified', null],
      ['mail.acme.test', true, false, 'unverified', null],
    ],
  )
})

test('each record has its name in both forms that DNS providers use', async () => {
  const { records } = (await fixture.get('/v1/domains/MAIL.acme.test.')).json<DomainDetail>()
  for (const { name, host, zone, value, wanted, found, status } of records) {
    assert.equal(zone, 'acme.test')
    assert.equal(`${host}.${zone}`, name)
    assert.deepEqual([wanted, found, status], [[value], [], 'pending'])
  }
  const own = (await fixture.get('/v1/domains/acme.test')).json<DomainDetail>()
  assert.deepEqual(
    own.records.filter(({ purpose }) => purpose === 'SPF').map(({ host, name }) => [host, name]),
    [['@', 'acme.test']],
  )
})

test('a check returns the full report and the updated domain', async () => {
  const check = (await fixture.post('/v1/domains/acme.test/verify')).json<DomainCheck>()
  assert.deepEqual([check.isVerified, check.outcome, check.errors], [true, 'all_right', []])
  assert.deepEqual([check.domain.verified, check.domain.dkimVerified, check.domain.spfVerified], [true, true, true])
  assert.equal(check.domain.lastCheckAt, new Date(fixture.nowMs).toISOString())
  assert.deepEqual([check.spf?.lookups, check.spf?.lookupsMax], [1, 10])
  assert.match(check.spf?.lines.join('\n') ?? '', /1 of 10 lookups/)
  assert.equal(check.spf?.policy.terms[0]?.policy?.domain, 'spf.operator.test')
  for (const { status, found, value } of check.records) assert.deepEqual([status, found], ['valid', [value]])
})

test('the SPF policy of the last check is a part of the domain, and survives a check that DNS did not answer', async () => {
  const { spf } = (await fixture.post('/v1/domains/acme.test/verify')).json<DomainCheck>()
  const read = async () => (await fixture.get('/v1/domains/acme.test')).json<DomainDetail>().spf
  assert.equal(spf?.checkedAt, new Date(fixture.nowMs).toISOString())
  assert.deepEqual(await read(), spf)
  fixture.advance(60_000)
  const policy = fixture.dns.get('acme.test')
  assert(policy)
  fixture.dns.set('acme.test', { kind: 'unreachable', reason: 'timeout' })
  const silent = (await fixture.post('/v1/domains/acme.test/verify')).json<DomainCheck>()
  assert.deepEqual([silent.outcome, silent.spf, silent.domain.spf], ['dns_unreachable', undefined, spf])
  assert.deepEqual(await read(), spf)
  fixture.dns.set('acme.test', policy)
})

test('problems are reported record by record: required value, actual values, diagnosis and fix', async () => {
  fixture.dns.set('mail.acme.test', { kind: 'records', values: ['v=spf1 -all'] })
  const check = (await fixture.post('/v1/domains/mail.acme.test/verify')).json<DomainCheck>()
  assert.deepEqual([check.isVerified, check.outcome], [false, 'record_wrong'])
  const spf = check.records.find(({ purpose }) => purpose === 'SPF')
  assert.deepEqual(spf?.found, ['v=spf1 -all'])
  assert.notDeepEqual(spf?.wanted, spf?.found)
  assert(spf?.diagnosis && spf.meaning && spf.error)
  assert(check.errors.length > 0)
  const detail = (await fixture.get('/v1/domains/mail.acme.test')).json<DomainDetail>()
  assert.deepEqual(detail.errors, check.errors)
})

test('a domain that is not active is not checked, and says so', async () => {
  const { id } = fixture.rival.domains[0]
  await fixture.storage.control.domains.setActive(id, false, fixture.nowMs)
  const check = (await fixture.post('/v1/domains/rival.test/verify', fixture.rival.key)).json<DomainCheck>()
  assert.deepEqual([check.isVerified, check.outcome, check.records], [false, 'not_checked', []])
  assert.equal(check.errors[0]?.type, 'CONFIG')
  assert.equal(check.domain.status, 'inactive')
})

test("another tenant's domain gets the response of one that does not exist", async () => {
  for (const [method, path] of [
    ['get', ''],
    ['post', '/verify'],
  ] as const) {
    const foreign = await fixture[method](`/v1/domains/rival.test${path}`)
    const missing = await fixture[method](`/v1/domains/nowhere.test${path}`)
    assert.equal(foreign.statusCode, 404)
    assert.equal(foreign.body, missing.body)
  }
})

test('no response contains any part of a private key', async () => {
  const bodies = [await fixture.get('/v1/domains'), await fixture.get('/v1/domains/acme.test')].map(({ body }) => body)
  for (const body of bodies) assert(!/sealed|private/i.test(body))
})
