import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type AppFixture, openAppFixture } from '../../../test/harness/app/app-fixture.ts'
import { VERIFY_RATE } from '../../domains/verification/verification-runner.ts'

interface Result {
  isVerified: boolean
  verificationErrors?: Problem[]
  verificationWarnings?: Problem[]
}

interface Problem {
  type: string
  error: string
  required: string[]
  actual: string[]
}

function publishRecords(fixture: AppFixture): void {
  for (const { name, value } of fixture.acme.domains[0].dnsRecords)
    fixture.dns.set(name, { kind: 'records', values: [value] })
}

async function verify(
  fixture: AppFixture,
  options: { payload?: string; headers?: Record<string, string> } = {},
): Promise<Result> {
  const answer = await fixture.post(`/api/v2/domain/${fixture.acme.domains[0].id}/verify`, undefined, options)
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json()
}

describe('200', () => {
  test("all records correct: verified, no errors, and the records' status is updated", async () => {
    await using fixture = await openAppFixture()
    publishRecords(fixture)
    assert.deepEqual(await verify(fixture), { isVerified: true })
    const domain = await fixture.storage.control.domains.findById(fixture.acme.domains[0].id)
    assert.deepEqual([domain?.isVerified, domain?.isApproved], [true, true])
  })

  test('correct only because our include comes first: verified, with a warning', async () => {
    await using fixture = await openAppFixture()
    publishRecords(fixture)
    const others = Array.from({ length: 10 }, (_, index) => `n${index}.acme.test`)
    for (const name of others) fixture.dns.set(name, { kind: 'records', values: ['v=spf1 ip4:192.0.2.1 -all'] })
    const spf = fixture.acme.domains[0].dnsRecords.find(({ purpose }) => purpose === 'SPF')
    const policy = spf?.value.replace(' ~all', ` ${others.map((name) => `include:${name}`).join(' ')} ~all`) ?? ''
    fixture.dns.set('acme.test', { kind: 'records', values: [policy] })
    const { isVerified, verificationErrors, verificationWarnings = [] } = await verify(fixture)
    assert.deepEqual([isVerified, verificationErrors], [true, undefined])
    const [warning, ...rest] = verificationWarnings
    assert.deepEqual(rest, [])
    assert.deepEqual([warning?.type, warning?.required, warning?.actual], ['TXT', [], [policy]])
    assert.match(warning?.error ?? '', /needs 11 DNS lookups.*only because the required mechanism is evaluated before/)
    const detail = await fixture.post('/v1/domains/acme.test/verify')
    const { records } = detail.json<{ records: { purpose: string; status: string; cautions: object[] }[] }>()
    const checked = records.find(({ purpose }) => purpose === 'SPF')
    assert.deepEqual(
      [checked?.status, checked?.cautions],
      [
        'valid',
        [
          {
            diagnosis: 'spf_lookups',
            meaning: 'receivers stop evaluating the policy: it needs more than 10 DNS lookups',
            text: warning?.error,
          },
        ],
      ],
    )
  })

  test('records missing: not verified, with required and actual values', async () => {
    await using fixture = await openAppFixture()
    fixture.dns.set('acme.test', { kind: 'records', values: ['v=spf1 -all'] })
    const { isVerified, verificationErrors = [] } = await verify(fixture)
    assert.equal(isVerified, false)
    assert.deepEqual(
      verificationErrors.map(({ type }) => type),
      ['TXT', 'TXT'],
    )
    const [dkim, spf] = verificationErrors
    assert.deepEqual(Object.keys(dkim ?? {}), ['type', 'error', 'required', 'actual'])
    assert.deepEqual(spf?.actual, ['v=spf1 -all'])
  })

  test('DNS unreachable: SYSTEM, and a verified domain stays verified', async () => {
    await using fixture = await openAppFixture()
    publishRecords(fixture)
    await verify(fixture)
    for (const name of fixture.dns.keys()) fixture.dns.set(name, { kind: 'unreachable', reason: 'timeout' })
    const { isVerified, verificationErrors = [] } = await verify(fixture)
    assert.equal(isVerified, false)
    assert(verificationErrors.every(({ type }) => type === 'SYSTEM'))
    assert.equal((await fixture.storage.control.domains.findById(fixture.acme.domains[0].id))?.isVerified, true)
  })

  test('a domain that is not active: CONFIG', async () => {
    await using fixture = await openAppFixture()
    await fixture.storage.control.domains.setActive(fixture.acme.domains[0].id, false, fixture.nowMs)
    const { isVerified, verificationErrors } = await verify(fixture)
    assert.equal(isVerified, false)
    assert.deepEqual(
      verificationErrors?.map(({ type }) => type),
      ['CONFIG'],
    )
  })

  test('any request body is ignored', async () => {
    await using fixture = await openAppFixture()
    publishRecords(fixture)
    const types = [
      'application/json',
      'text/plain',
      'multipart/form-data',
      'rubbish',
      '/',
      'application/json; charset=klingon',
    ]
    for (const type of types) {
      for (const payload of ['', '{', '{"a":1}', 'x'.repeat(1024 * 1024)]) {
        const headers = { 'content-type': type, 'content-encoding': 'rubbish' }
        assert.deepEqual(await verify(fixture, { payload, headers }), { isVerified: true })
      }
    }
  })
})

test('413: an ignored body is limited, too', async () => {
  await using fixture = await openAppFixture()
  const url = `/api/v2/domain/${fixture.acme.domains[0].id}/verify`
  const answer = await fixture.post(url, undefined, { payload: 'x'.repeat(1024 * 1024 + 1) })
  assert.equal(answer.statusCode, 413)
  assert.deepEqual(answer.json(), { error: 413, message: 'The request body is larger than 1048576 bytes' })
})

test('404: a GET of the verify path, and a verify path without an id', async () => {
  await using fixture = await openAppFixture()
  assert.equal((await fixture.get(`/api/v2/domain/${fixture.acme.domains[0].id}/verify`)).statusCode, 404)
  assert.equal((await fixture.post('/api/v2/domain/verify')).statusCode, 404)
})

describe('many at once', () => {
  test('a thousand concurrent calls for one domain share one check and get the same response', async () => {
    await using fixture = await openAppFixture()
    publishRecords(fixture)
    const url = `/api/v2/domain/${fixture.acme.domains[0].id}/verify`
    const answers = await Promise.all(Array.from({ length: 1000 }, () => fixture.post(url)))
    assert.deepEqual(
      [...new Set(answers.map(({ statusCode, body }) => `${statusCode} ${body}`))],
      ['200 {"isVerified":true}'],
    )
    assert.equal(fixture.toldDns.sessions, 1)
  })

  test("429 with Retry-After above the tenant's limit, until that time; other tenants are not affected", async () => {
    await using fixture = await openAppFixture()
    const url = `/api/v2/domain/${fixture.acme.domains[0].id}/verify`
    for (let index = 0; index < VERIFY_RATE.burst; index++) await verify(fixture)
    const before = await fixture.storage.control.domains.findById(fixture.acme.domains[0].id)
    fixture.advance(1)
    const refused = await fixture.post(url)
    assert.equal(refused.statusCode, 429)
    assert.equal(refused.headers['retry-after'], '1')
    assert.deepEqual(Object.keys(refused.json<object>()), ['error', 'message'])
    assert.equal(refused.json<{ error: number }>().error, 429)
    assert.match(refused.json<{ message: string }>().message, /Too many verifications.*Nothing was checked/)
    assert.deepEqual(await fixture.storage.control.domains.findById(fixture.acme.domains[0].id), before)

    const other = await fixture.post(`/api/v2/domain/${fixture.rival.domains[0].id}/verify`, fixture.rival.key)
    assert.equal(other.statusCode, 200)
    const unknown = await fixture.post(`/api/v2/domain/${fixture.rival.domains[0].id}/verify`)
    assert.equal(unknown.statusCode, 400)
    fixture.advance(1000 * Number(refused.headers['retry-after']))
    assert.equal((await fixture.post(url)).statusCode, 200)
  })

  test('503 with Retry-After if too many checks are already waiting', async () => {
    const gate = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    await using fixture = await openAppFixture({
      verificationLimits: { runningMax: 1, waitingMax: 0 },
      async lookup() {
        asked.resolve()
        await gate.promise
        return undefined
      },
    })
    const first = verify(fixture)
    await asked.promise
    const refused = await fixture.post(`/api/v2/domain/${fixture.acme.domains[1].id}/verify`)
    assert.equal(refused.statusCode, 503)
    assert.equal(refused.headers['retry-after'], '2')
    assert.match(refused.json<{ message: string }>().message, /Too many checks are running; nothing was checked/)
    gate.resolve()
    assert.equal((await first).isVerified, false)
  })
})
