import assert from 'node:assert/strict'
import { createPrivateKey, createPublicKey } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { type AppFixture, openAppFixture } from '../../../../../test/harness/app/app-fixture.ts'
import { VERIFY_RATE } from '../../../../domains/verification/verification-runner.ts'
import type { DkimKeys, NewDkimKey, PrivateKey } from './dkim-keys.wire.ts'
import type { AdminDomainCheck, AdminDomainDetail, AdminDomains } from './domains.wire.ts'

let fixture: AppFixture
let adminKey: string
before(async () => {
  fixture = await openAppFixture()
  adminKey = (await fixture.createKey('operator', ['admin'])).key
})
after(() => fixture[Symbol.asyncDispose]())

const get = (path: string) => fixture.get(`/v1/admin/domains/${path}`, adminKey)
const post = (path: string, body?: object) =>
  fixture.post(`/v1/admin/domains/${path}`, adminKey, body ? { payload: JSON.stringify(body) } : {})
const keysOf = async (name: string) => (await get(`${name}/keys`)).json<DkimKeys>().keys

test('any domain is returned with its owner; an unknown one is 404', async () => {
  const answer = await get('RIVAL.test')
  assert.equal(answer.statusCode, 200)
  const { name, tenant, records } = answer.json<AdminDomainDetail>()
  assert.deepEqual([name, tenant.name], ['rival.test', 'rival'])
  assert(records.some(({ purpose }) => purpose === 'DKIM'))
  assert(!/private/i.test(answer.body))
  for (const path of ['nowhere.test', '%00', 'x'.repeat(300)]) assert.equal((await get(path)).statusCode, 404, path)
})

test('a list contains full domains on request', async () => {
  const list = async (query: string) =>
    (await fixture.get(`/v1/admin/domains?${query}`, adminKey)).json<AdminDomains>().domains[0]
  const { history, ...detail } = (await get('acme.test')).json<AdminDomainDetail>()
  assert.deepEqual(history, [])
  assert.deepEqual(await list('details=true'), detail)
  const { sendingEmail, records, errors, ...summary } = (await list('details=true')) ?? {}
  assert(sendingEmail && records && errors)
  assert.deepEqual(await list(''), summary)
})

test('a list can be searched, ordered and limited to a tenant, by its name or id', async () => {
  const list = async (query: string) => {
    const { domains, count } = (await fixture.get(`/v1/admin/domains?${query}`, adminKey)).json<AdminDomains>()
    assert(domains.length <= count)
    return domains.map(({ name }) => name)
  }
  const all = ['acme.test', 'mail.acme.test', 'mail.rival.test', 'rival.test']
  assert.deepEqual(await list(''), all)
  assert.deepEqual(await list('sort=-name'), all.toReversed())
  assert.deepEqual(await list('search=MAIL.'), ['mail.acme.test', 'mail.rival.test'])
  assert.deepEqual(await list('search=mail.&take=1&skip=1'), ['mail.rival.test'])
  for (const tenant of ['rival', fixture.rival.tenant.id])
    assert.deepEqual(await list(`tenant=${tenant}&sort=-name`), ['rival.test', 'mail.rival.test'])
  assert.deepEqual(await list('search=%25'), [])
  await fixture.post('/v1/admin/domains', adminKey, { payload: '{"name":"münchen.test","tenant":"acme"}' })
  assert.deepEqual(await list('search=M%C3%9CNCHEN'), ['xn--mnchen-3ya.test'])
  assert.deepEqual(await list('onboarded=true'), [])
  for (const query of ['sort=tenant', 'tenant=nobody', 'onboarded=maybe'])
    assert((await fixture.get(`/v1/admin/domains?${query}`, adminKey)).statusCode >= 400, query)
})

test("the operator can check any domain, gets the full report, and is not subject to the tenant's rate limit", async () => {
  for (const { name, value } of fixture.rival.domains[0].dnsRecords)
    fixture.dns.set(name, { kind: 'records', values: [value] })
  for (let times = 0; times <= VERIFY_RATE.burst; times++) {
    assert.equal((await post('rival.test/verify')).statusCode, 200)
  }
  const right = (await post('rival.test/verify')).json<AdminDomainCheck>()
  assert.deepEqual([right.isVerified, right.outcome, right.domain.verified], [true, 'all_right', true])
  assert.deepEqual([right.report?.domain, right.report?.outcome], ['rival.test', 'all_right'])
  assert.equal(right.report?.records.length, right.records.length)
  assert(right.report?.records.every(({ evidence, warnings }) => evidence && warnings))

  const wrong = (await post('mail.rival.test/verify')).json<AdminDomainCheck>()
  assert.equal(wrong.isVerified, false)
  assert.deepEqual(
    wrong.report?.records.flatMap(({ error }) => error?.error ?? []),
    wrong.records.flatMap(({ error }) => error ?? []),
  )
  assert.equal((await post('nowhere.test/verify')).statusCode, 404)
})

test('a domain that is not active is not checked, and has no report', async () => {
  await fixture.post('/v1/admin/domains', adminKey, { payload: '{"name":"idle.test","tenant":"acme"}' })
  const { isVerified, outcome, report } = (await post('idle.test/verify')).json<AdminDomainCheck>()
  assert.deepEqual([isVerified, outcome, report], [false, 'not_checked', undefined])
})

describe('DKIM keys', () => {
  test('a key is rotated step by step, and becomes current only after a check has seen its record', async () => {
    const [old] = await keysOf('acme.test')
    assert.deepEqual([old?.state, old?.algorithm], ['current', 'rsa'])
    const created = await post('acme.test/keys', { algorithm: 'ed25519' })
    assert.equal(created.statusCode, 201)
    const { name, selector, keys } = created.json<NewDkimKey>()
    assert.equal(name, 'acme.test')
    assert.deepEqual(keys, await keysOf('acme.test'))
    const made = keys.find((key) => key.selector === selector)
    assert.deepEqual([made?.state, made?.algorithm, made?.dnsRecord?.status], ['next', 'ed25519', 'pending'])
    assert.equal((await post('acme.test/keys', {})).statusCode, 409)
    assert.equal((await post(`acme.test/keys/${selector}/promote`)).statusCode, 409)
    assert.equal((await post(`acme.test/keys/${old?.selector}/retire`)).statusCode, 409)

    for (const { dnsRecord } of keys) {
      if (dnsRecord) fixture.dns.set(dnsRecord.name, { kind: 'records', values: [dnsRecord.value] })
    }
    await post('acme.test/verify')
    const promoted = await post(`acme.test/keys/${selector.toUpperCase()}/promote`)
    assert.equal(promoted.statusCode, 200)
    assert.deepEqual(
      promoted.json<DkimKeys>().keys.map((key) => [key.selector, key.state]),
      [
        [old?.selector, 'previous'],
        [selector, 'current'],
      ],
    )
    const retired = await post(`acme.test/keys/${old?.selector}/retire`)
    assert.deepEqual(
      retired.json<DkimKeys>().keys.map((key) => key.selector),
      [selector],
    )
  })

  test('the exported private key matches the published one, and the response is not cached', async () => {
    const answer = await get('rival.test/keys/current/private-key')
    assert.equal(answer.statusCode, 200)
    assert.equal(answer.headers['cache-control'], 'no-store')
    const { name, selector, privateKey } = answer.json<PrivateKey>()
    const [current] = await keysOf('rival.test')
    assert.deepEqual([name, selector], ['rival.test', current?.selector])
    const publicKey = createPublicKey(createPrivateKey(privateKey)).export({ type: 'spki', format: 'der' })
    assert(current?.dnsRecord?.value.endsWith(publicKey.toString('base64')))
    const bySelector = await get(`rival.test/keys/${selector}/private-key`)
    assert.equal(bySelector.body, answer.body)
    assert(!fixture.logText.includes('PRIVATE'))
  })

  test('an unknown domain or key is 404, an invalid request 400', async () => {
    for (const path of ['nowhere.test/keys', 'nowhere.test/keys/current/private-key', 'acme.test/keys/x/private-key']) {
      assert.equal((await get(path)).statusCode, 404, path)
    }
    for (const path of ['nowhere.test/keys', 'acme.test/keys/x/promote', 'acme.test/keys/x/retire']) {
      assert.equal((await post(path, {})).statusCode, 404, path)
    }
    assert.equal((await post('acme.test/keys', { algorithm: 'md5' })).statusCode, 400)
    assert.equal((await post('acme.test/keys')).statusCode, 400)
  })
})
