import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { type ControlStores, openControlStores } from '../../test/harness/control-stores.ts'
import { AppError } from '../lib/app-error.ts'
import type { TxtAnswer, TxtResolver } from './dns-resolver.ts'
import type { Domain, DomainFlags } from './domain.ts'
import { requiredRecords } from './required-records.ts'
import { verifyDomain } from './verify-domain.ts'

const CREATED_MS = 1_700_000_000_000
const NOW_MS = CREATED_MS + 3_600_000
const TENANT = '01890000-0000-7000-8000-000000000001'
const OTHER_TENANT = '01890000-0000-7000-8000-000000000002'
const DKIM_KEY = {
  selector: 's1',
  publicKey: Buffer.alloc(294, 7).toString('base64'),
  sealedPrivateKey: new Uint8Array(40),
}
const RECORDS = requiredRecords('example.com', DKIM_KEY, { spfInclude: '_spf.mta.test' })
const [DKIM, SPF] = RECORDS
assert.ok(DKIM && SPF)

/** DNS as a plain function of the name; remembers what it was asked. */
function dns(answers: Record<string, TxtAnswer>) {
  const asked: string[] = []
  const resolver: TxtResolver = {
    async resolveTxt(name) {
      asked.push(name)
      return answers[name] ?? { kind: 'no_such_name' }
    },
  }
  return { asked, resolver }
}

const values = (...texts: string[]): TxtAnswer => ({ kind: 'records', values: texts })
const DOWN: TxtAnswer = { kind: 'unreachable', reason: 'SERVFAIL' }
const RIGHT = { [DKIM.name]: values(DKIM.value), [SPF.name]: values(SPF.value) }

const NEW: DomainFlags = { isActive: true, isApproved: false, isVerified: false }
const VERIFIED: DomainFlags = { isActive: true, isApproved: true, isVerified: true }
const flagsOf = ({ isActive, isApproved, isVerified }: Domain): DomainFlags => ({ isActive, isApproved, isVerified })

describe('verifying a domain', () => {
  let stores: ControlStores

  beforeEach(async () => {
    stores = openControlStores()
    for (const [id, name] of [
      [TENANT, 'acme'],
      [OTHER_TENANT, 'other'],
    ] as const) {
      await stores.keys.createTenant({ id, name, clientId: `client_${name}`, createdAtMs: CREATED_MS })
    }
  })
  afterEach(() => stores.close())

  const add = (flags: DomainFlags, extra: Partial<Domain> = { dkimKey: DKIM_KEY }) =>
    stores.domains.create({
      id: '01890000-0000-7000-8000-0000000000aa',
      tenantId: TENANT,
      name: 'example.com',
      description: '',
      sendingEmail: 'postmaster@example.com',
      dnsRecords: RECORDS,
      lastVerificationErrors: [],
      createdAtMs: CREATED_MS,
      updatedAtMs: CREATED_MS,
      ...flags,
      ...extra,
    })
  const verify = (resolver: TxtResolver, domainId: string, tenantId?: string, deadlineMs = 60_000) =>
    verifyDomain(
      { domains: stores.domains, resolver, clock: () => NOW_MS, deadlineMs },
      { domainId, ...(tenantId !== undefined && { tenantId }) },
    )
  const reload = async (id: string) => {
    const domain = await stores.domains.findById(id)
    assert.ok(domain)
    assert.equal(domain.lastVerificationCheckedAtMs, NOW_MS)
    assert.equal(domain.updatedAtMs, NOW_MS)
    return domain
  }

  test('all records right: verified and approved, no errors, and what was seen is kept', async () => {
    const { id } = await add(NEW)
    assert.deepEqual(await verify(dns(RIGHT).resolver, id, TENANT), { isVerified: true, errors: [] })
    const domain = await reload(id)
    assert.deepEqual(flagsOf(domain), VERIFIED)
    assert.deepEqual(domain.lastVerificationErrors, [])
    assert.deepEqual(
      domain.dnsRecords.map(({ status, actual }) => ({ status, actual })),
      [
        { status: 'valid', actual: [DKIM.value] },
        { status: 'valid', actual: [SPF.value] },
      ],
    )
  })

  test('records missing or wrong: one error each, flags taken away, active stays', async () => {
    const { id } = await add(VERIFIED)
    const result = await verify(dns({ [SPF.name]: values('v=spf1 ~all') }).resolver, id, TENANT)
    assert.equal(result.isVerified, false)
    assert.deepEqual(
      result.errors.map(({ type }) => type),
      ['TXT', 'TXT'],
    )
    const domain = await reload(id)
    assert.deepEqual(flagsOf(domain), { isActive: true, isApproved: false, isVerified: false })
    assert.deepEqual(domain.lastVerificationErrors, result.errors)
    assert.deepEqual(
      domain.dnsRecords.map(({ status }) => status),
      ['invalid', 'invalid'],
    )
  })

  test('an outage of DNS never un-verifies a domain', async () => {
    const { id } = await add(VERIFIED)
    const result = await verify(dns({ ...RIGHT, [DKIM.name]: DOWN }).resolver, id, TENANT)
    assert.equal(result.isVerified, false)
    assert.deepEqual(
      result.errors.map(({ type }) => type),
      ['SYSTEM'],
    )
    const domain = await reload(id)
    assert.deepEqual(flagsOf(domain), VERIFIED)
    assert.deepEqual(
      domain.dnsRecords.map(({ status }) => status),
      ['unknown', 'valid'],
    )
    assert.deepEqual(domain.lastVerificationErrors, result.errors)
  })

  test('a record that was seen to be wrong counts although another could not be asked', async () => {
    const { id } = await add(VERIFIED)
    const result = await verify(dns({ [DKIM.name]: DOWN, [SPF.name]: values('v=spf1 -all') }).resolver, id, TENANT)
    assert.deepEqual(
      result.errors.map(({ type }) => type),
      ['SYSTEM', 'TXT'],
    )
    assert.deepEqual(flagsOf(await reload(id)), { isActive: true, isApproved: false, isVerified: false })
  })

  test('a domain that is not active yet: CONFIG, wait and try again, DNS is not asked', async () => {
    const { id } = await add({ ...NEW, isActive: false })
    const { asked, resolver } = dns(RIGHT)
    const result = await verify(resolver, id, TENANT)
    assert.equal(result.isVerified, false)
    assert.deepEqual(
      result.errors.map(({ type }) => type),
      ['CONFIG'],
    )
    assert.match(result.errors[0]?.error ?? '', /not active yet.*try again/)
    assert.deepEqual(asked, [])
    const domain = await reload(id)
    assert.deepEqual(flagsOf(domain), { ...NEW, isActive: false })
    assert.deepEqual(domain.dnsRecords, RECORDS)
    assert.deepEqual(domain.lastVerificationErrors, result.errors)
  })

  test('a domain without a key, or without a DKIM record to look for: CONFIG, flags unchanged, DNS is not asked', async () => {
    const { id } = await add(VERIFIED, {})
    const { asked, resolver } = dns(RIGHT)
    const result = await verify(resolver, id, TENANT)
    assert.deepEqual(
      result.errors.map(({ type }) => type),
      ['CONFIG'],
    )
    assert.match(result.errors[0]?.error ?? '', /no DKIM key/)
    assert.deepEqual(flagsOf(await reload(id)), VERIFIED)
    const bare = await add(NEW, {
      id: '01890000-0000-7000-8000-0000000000ab',
      name: 'bare.test',
      dkimKey: DKIM_KEY,
      dnsRecords: [],
    })
    assert.equal((await verify(resolver, bare.id, TENANT)).isVerified, false)
    assert.deepEqual(asked, [])
  })

  test('no id, an unknown one and another tenant’s are refused word for word alike, and change nothing', async () => {
    const { id } = await add(NEW)
    const { asked, resolver } = dns(RIGHT)
    const refusals = new Set<string>()
    const attempts = [
      ['not-a-uuid', TENANT],
      ['', TENANT],
      ["' OR 1=1 --", TENANT],
      [`${id} `, TENANT],
      ['01890000-0000-7000-8000-0000000000bb', TENANT],
      ['01890000-0000-7000-8000-0000000000bb', undefined],
      [id, OTHER_TENANT],
    ] as const
    for (const [domainId, tenantId] of attempts) {
      await assert.rejects(verify(resolver, domainId, tenantId), (error: unknown) => {
        assert.ok(error instanceof AppError)
        refusals.add(`${error.code}: ${error.message}`)
        return true
      })
    }
    assert.deepEqual([...refusals], ['domain_not_found: Domain not found'])
    assert.deepEqual(asked, [])
    assert.equal((await stores.domains.findById(id))?.updatedAtMs, CREATED_MS)
  })

  test('the operator may verify any domain, and letter case of the id does not matter', async () => {
    const { id } = await add(NEW)
    assert.equal((await verify(dns(RIGHT).resolver, id)).isVerified, true)
    assert.equal((await verify(dns(RIGHT).resolver, id.toUpperCase(), TENANT)).isVerified, true)
  })

  test('a resolver that never answers and ignores the signal is SYSTEM at the deadline; what was answered counts', async () => {
    const { id } = await add(VERIFIED)
    const signals: AbortSignal[] = []
    const resolver: TxtResolver = {
      resolveTxt(name, signal) {
        signals.push(signal)
        return name === SPF.name ? Promise.resolve(values(SPF.value)) : new Promise(() => {})
      },
    }
    const result = await verify(resolver, id, TENANT, 5)
    assert.deepEqual(
      result.errors.map(({ type }) => type),
      ['SYSTEM'],
    )
    assert.ok(
      signals.every(({ aborted }) => aborted),
      'the resolver was not told to stop',
    )
    const domain = await reload(id)
    assert.deepEqual(flagsOf(domain), VERIFIED)
    assert.deepEqual(
      domain.dnsRecords.map(({ status }) => status),
      ['unknown', 'valid'],
    )
  })

  test('a domain that is deactivated while its records are checked stays deactivated', async () => {
    const { id } = await add(NEW)
    const resolver: TxtResolver = {
      async resolveTxt(name) {
        await stores.domains.setActive(id, false, NOW_MS)
        return RIGHT[name] ?? DOWN
      },
    }
    assert.equal((await verify(resolver, id, TENANT)).isVerified, true)
    assert.equal((await reload(id)).isActive, false)
  })
})
