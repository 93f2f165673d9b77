import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { sampleDomain } from '../../../test/harness/app/sample-domain.ts'
import { createToldDns, type TxtAnswer } from '../../../test/harness/app/told-dns.ts'
import { type ControlStores, openControlStores } from '../../../test/harness/storage/control-stores.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Dns } from '../dns-resolver.ts'
import type { Domain, DomainFlags } from '../domain.ts'
import type { VerificationUpdate } from '../domain-store.ts'
import { dkimRecord, requiredRecords } from '../records/required-records.ts'
import { readSpfTree } from '../spf/tree/read-spf-tree.ts'
import { firstRecheck } from './recheck-schedule.ts'
import { VerificationRunner } from './verification-runner.ts'
import { recordFindings } from './verify-domain.ts'

const CREATED_MS = 1_700_000_000_000
const NOW_MS = CREATED_MS + 3_600_000
const DAY_MS = 86_400_000
const TENANT = '01890000-0000-7000-8000-000000000001'
const OTHER_TENANT = '01890000-0000-7000-8000-000000000002'
const DKIM_KEY = {
  selector: 's1',
  publicKey: Buffer.alloc(294, 7).toString('base64'),
  sealedPrivateKey: new Uint8Array(40),
  algorithm: 'rsa',
  state: 'current',
  createdAtMs: CREATED_MS,
} as const
const RECORDS = requiredRecords('example.com', DKIM_KEY, { spfInclude: '_spf.mta.test' }).filter(
  ({ required }) => required,
)
const [DKIM, SPF] = RECORDS
assert.ok(DKIM && SPF)

/** In addition to the given records, the operator's own record exists. */
function dns(answers: Record<string, TxtAnswer>) {
  return createToldDns(
    (name) => answers[name] ?? (name === '_spf.mta.test' ? values('v=spf1 ip4:192.0.2.1 -all') : undefined),
  )
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

  const add = (flags: DomainFlags, extra: Partial<Domain> = {}) =>
    stores.domains.create({
      id: '01890000-0000-7000-8000-0000000000aa',
      tenantId: TENANT,
      name: 'example.com',
      description: '',
      sendingEmail: 'postmaster@example.com',
      dnsRecords: RECORDS,
      dkimKeys: [DKIM_KEY],
      lastVerificationErrors: [],
      createdAtMs: CREATED_MS,
      updatedAtMs: CREATED_MS,
      ...flags,
      ...extra,
    })
  const verify = (told: Dns, domainId: string, tenantId?: string, deadlineMs = 60_000) =>
    new VerificationRunner({ domains: stores.domains, dns: told, clock: () => NOW_MS, deadlineMs }).verify({
      domainId,
      ...(tenantId !== undefined && { tenantId }),
    })
  const reload = async (id: string) => {
    const domain = await stores.domains.findById(id)
    assert.ok(domain)
    assert.equal(domain.lastVerificationCheckedAtMs, NOW_MS)
    assert.equal(domain.updatedAtMs, NOW_MS)
    return domain
  }

  test('all records correct: verified and approved, no errors, and the findings are stored', async () => {
    const { id } = await add(NEW)
    const { isVerified, errors, report } = await verify(dns(RIGHT), id, TENANT)
    assert.deepEqual([isVerified, errors, report?.domainName], [true, [], 'example.com'])
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

  test('records missing or wrong: one error each, flags removed, active stays', async () => {
    const { id } = await add(VERIFIED)
    const result = await verify(dns({ [SPF.name]: values('v=spf1 ~all') }), id, TENANT)
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
    const result = await verify(dns({ ...RIGHT, [DKIM.name]: DOWN }), id, TENANT)
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

  test('a wrong record decides although the query for another failed', async () => {
    const { id } = await add(VERIFIED)
    const result = await verify(dns({ [DKIM.name]: DOWN, [SPF.name]: values('v=spf1 -all') }), id, TENANT)
    assert.deepEqual(
      result.errors.map(({ type }) => type),
      ['SYSTEM', 'TXT'],
    )
    assert.deepEqual(flagsOf(await reload(id)), { isActive: true, isApproved: false, isVerified: false })
  })

  test('a domain that is not active yet: CONFIG, wait and try again, DNS is not queried', async () => {
    const { id } = await add({ ...NEW, isActive: false })
    const told = dns(RIGHT)
    const result = await verify(told, id, TENANT)
    assert.equal(result.isVerified, false)
    assert.deepEqual(
      result.errors.map(({ type }) => type),
      ['CONFIG'],
    )
    assert.match(result.errors[0]?.error ?? '', /not active yet.*try again/)
    assert.equal(told.sessions, 0)
    const domain = await reload(id)
    assert.deepEqual(flagsOf(domain), { ...NEW, isActive: false })
    assert.deepEqual(domain.dnsRecords, RECORDS)
    assert.deepEqual(domain.lastVerificationErrors, result.errors)
  })

  test('a domain without a key or a DKIM record: CONFIG, flags unchanged, DNS is not queried', async () => {
    const { id } = await add(VERIFIED, { dkimKeys: [] })
    const told = dns(RIGHT)
    const result = await verify(told, id, TENANT)
    assert.deepEqual(
      result.errors.map(({ type }) => type),
      ['CONFIG'],
    )
    assert.match(result.errors[0]?.error ?? '', /no DKIM key/)
    assert.deepEqual(flagsOf(await reload(id)), VERIFIED)
    const bare = await add(NEW, {
      id: '01890000-0000-7000-8000-0000000000ab',
      name: 'bare.test',
      dnsRecords: [],
    })
    assert.equal((await verify(told, bare.id, TENANT)).isVerified, false)
    assert.equal(told.sessions, 0)
  })

  test('an invalid id, an unknown one and another tenant’s give the same error, and change nothing', async () => {
    const { id } = await add(NEW)
    const told = dns(RIGHT)
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
      await assert.rejects(verify(told, domainId, tenantId), (error: unknown) => {
        assert.ok(error instanceof AppError)
        refusals.add(`${error.code}: ${error.message}`)
        return true
      })
    }
    assert.deepEqual([...refusals], ['domain_not_found: Domain not found'])
    assert.equal(told.sessions, 0)
    assert.equal((await stores.domains.findById(id))?.updatedAtMs, CREATED_MS)
  })

  test('the operator may verify any domain, and letter case of the id does not matter', async () => {
    const { id } = await add(NEW)
    assert.equal((await verify(dns(RIGHT), id)).isVerified, true)
    assert.equal((await verify(dns(RIGHT), id.toUpperCase(), TENANT)).isVerified, true)
  })

  test('DNS that does not answer is SYSTEM at the deadline; earlier answers count', async () => {
    const { id } = await add(VERIFIED)
    const told = createToldDns((name, signal) =>
      name !== DKIM.name
        ? (RIGHT[name] ?? values('v=spf1 ip4:192.0.2.1 -all'))
        : new Promise((resolve) => signal.addEventListener('abort', () => resolve(DOWN))),
    )
    const result = await verify(told, id, TENANT, 5)
    assert.deepEqual(
      result.errors.map(({ type }) => type),
      ['SYSTEM'],
    )
    const domain = await reload(id)
    assert.deepEqual(flagsOf(domain), VERIFIED)
    assert.equal(domain.dnsRecords[0]?.status, 'unknown')
  })

  test('a domain that is deactivated while its records are checked stays deactivated', async () => {
    const { id } = await add(NEW)
    const told = createToldDns(async (name) => {
      await stores.domains.setActive(id, false, NOW_MS)
      return RIGHT[name] ?? values('v=spf1 ip4:192.0.2.1 -all')
    })
    assert.equal((await verify(told, id, TENANT)).isVerified, true)
    assert.equal((await reload(id)).isActive, false)
  })

  test('the time of the next check is stored with the outcome', async () => {
    const { id } = await add(NEW)
    await verify(dns({}), id, TENANT)
    assert.deepEqual((await reload(id)).recheck, firstRecheck(id, NOW_MS))
    await verify(dns(RIGHT), id, TENANT)
    const { recheck } = await reload(id)
    assert.equal(recheck?.step, 0)
    assert.ok(recheck.atMs >= NOW_MS + DAY_MS / 2)
  })

  test('while a new key waits to be seen, the next check is soon although the domain is verified', async () => {
    const next = { ...DKIM_KEY, selector: 's2', state: 'next' } as const
    const record = dkimRecord('example.com', next)
    const { id } = await add(NEW, { dkimKeys: [DKIM_KEY, next], dnsRecords: [...RECORDS, record] })
    assert.equal((await verify(dns(RIGHT), id, TENANT)).isVerified, true)
    const waiting = await reload(id)
    assert.deepEqual(waiting.recheck, firstRecheck(id, NOW_MS))
    assert.deepEqual(waiting.lastVerificationErrors, [])
    assert.equal(waiting.dnsRecords[2]?.status, 'invalid')
    await verify(dns({ ...RIGHT, [record.name]: values(record.value) }), id, TENANT)
    const seen = await reload(id)
    assert.equal(seen.dnsRecords[2]?.status, 'valid')
    assert.ok((seen.recheck?.atMs ?? 0) >= NOW_MS + DAY_MS / 2)
  })

  test('a key that is added during a check stays, and is seen by the next check', async () => {
    const domain = await add(NEW)
    const next = { ...DKIM_KEY, selector: 's2', state: 'next' } as const
    const record = dkimRecord('example.com', next)
    const told = createToldDns(async (name) => {
      await stores.domains.saveKeys(domain, {
        dkimKeys: [DKIM_KEY, next],
        dnsRecords: [...RECORDS, record],
        updatedAtMs: NOW_MS,
      })
      return RIGHT[name] ?? values('v=spf1 ip4:192.0.2.1 -all')
    })
    await verify(told, domain.id, TENANT)
    const { dnsRecords, dkimKeys } = await reload(domain.id)
    assert.deepEqual(
      dnsRecords.map(({ status }) => status),
      ['valid', 'valid', 'pending'],
    )
    assert.equal(dkimKeys.length, 2)
  })
})

test('findings are recorded for the domain as it is now, with its policy unless that is too long', async () => {
  const examined: Domain = { ...sampleDomain('tenant', 'example.com'), number: 1 }
  const now: Domain = { ...examined, isVerified: true, isApproved: true }
  const record = async (policy: string) => {
    const spfTree = await readSpfTree('example.com', async () => ({ kind: 'records', values: [policy] }))
    const report = { domainName: 'example.com', records: [], spfTree }
    const saved: VerificationUpdate[] = []
    const domains = {
      findById: async () => now,
      saveVerification: async (_id: string, update: VerificationUpdate) => void saved.push(update),
    }
    const findings = { outcome: 'dns_unreachable', errors: [], dnsRecords: [], report } as const
    const { before, after } = await recordFindings({ domains, clock: () => 7 }, examined, findings, 'asked')
    assert.deepEqual([before, after.isVerified, saved[0]?.isVerified], [now, true, true])
    return saved[0]?.spf
  }
  assert.equal((await record('v=spf1 -all'))?.policy.text, 'v=spf1 -all')
  assert.equal(await record(`v=spf1 ${'ip4:192.0.2.1 '.repeat(500)}-all`), null)
})
