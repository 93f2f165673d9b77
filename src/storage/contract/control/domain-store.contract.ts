/** The contract of every DomainStore. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import type { StoredSpf } from '../../../domains/checks/report-json.ts'
import type { DkimKey, Domain } from '../../../domains/domain.ts'
import {
  DOMAIN_SORT_FIELDS,
  type DomainListQuery,
  type DomainStore,
  type VerificationUpdate,
} from '../../../domains/domain-store.ts'
import { AppError } from '../../../lib/app-error.ts'
import type { KeyStore } from '../../../tenants/key-store.ts'
import { domainNumbersContract } from './domain-numbers.contract.ts'
import { newDomain, OTHER_TENANT, TENANT } from './domain-scene.ts'
import { dueChecksContract } from './due-checks.contract.ts'
import { unprovenDomainsContract } from './unproven-domains.contract.ts'

export interface OpenedDomainStore {
  readonly store: DomainStore
  /** Of the same storage, because domains belong to tenants. */
  readonly keys: KeyStore
  readonly close: () => Promise<void>
}

const UPDATED_FIRST: DomainListQuery['orderBy'] = { field: 'updatedAt', direction: 'desc' }

function newKey(selector: string, state: DkimKey['state'], byte: number): DkimKey {
  const sealedPrivateKey = Uint8Array.from([0, 1, byte])
  return { selector, algorithm: 'rsa', publicKey: 'a2V5', sealedPrivateKey, state, createdAtMs: 1_699_999_999_999 }
}

const FULL: Omit<Domain, 'number'> = newDomain(1, {
  description: 'Newsletter “grün” 🚀',
  isActive: true,
  dnsRecords: [
    {
      type: 'TXT',
      name: 's1._domainkey.d001.test',
      value: 'v=DKIM1; k=rsa; p=a2V5',
      purpose: 'DKIM',
      required: true,
      status: 'invalid',
      actual: ['"quoted" \\; \u0000 value', 'second'],
    },
  ],
  dkimKeys: [newKey('s1', 'current', 0), newKey('s2', 'next', 255)],
  failingSinceMs: 1_700_000_000_400,
  recheck: { atMs: 1_700_000_600_000, step: 3 },
  lastVerificationErrors: [{ type: 'TXT', error: 'Wrong value', required: ['a'], actual: ['b', 'c'] }],
  lastVerificationCheckedAtMs: 1_700_000_000_500,
})

export function domainStoreContract(open: () => Promise<OpenedDomainStore>): void {
  let store: DomainStore
  let keys: KeyStore
  let close: () => Promise<void>

  beforeEach(async () => {
    const opened = await open()
    ;({ store, keys, close } = opened)
    for (const id of [TENANT, OTHER_TENANT]) {
      await opened.keys.createTenant({ id, clientId: `client_${id}`, name: id, createdAtMs: 0 })
    }
  })
  afterEach(() => close())

  const list = (query: Partial<DomainListQuery> = {}) =>
    store.list({ tenantId: TENANT, skip: 0, take: 100, orderBy: UPDATED_FIRST, ...query })
  const names = async (query: Partial<DomainListQuery> = {}) => (await list(query)).domains.map(({ name }) => name)

  test('a domain is returned by add, by name and by id exactly as it was given, with a number', async () => {
    const created = await store.create(FULL)
    assert.ok(Number.isSafeInteger(created.number) && created.number > 0)
    assert.deepEqual(created, { ...FULL, number: created.number })
    assert.deepEqual(await store.findByName(FULL.name), created)
    assert.deepEqual(await store.findById(FULL.id), created)
  })

  test('a domain without keys, checks or a scheduled check is returned without them', async () => {
    const created = await store.create(newDomain(2))
    assert.deepEqual(created.dkimKeys, [])
    for (const field of ['lastVerificationCheckedAtMs', 'failingSinceMs', 'recheck']) {
      assert.equal(field in created, false, field)
    }
  })

  test('other names and ids are not found', async () => {
    await store.create(FULL)
    for (const text of ['', 'd002.test', 'D001.TEST', 'd001.test.', '%', "' OR 1=1 --"]) {
      assert.equal(await store.findByName(text), undefined, text)
      assert.equal(await store.findById(text), undefined, text)
    }
  })

  test('every domain gets a different number from the store, even a copy of another domain', async () => {
    const numbers = new Set<number>()
    for (let index = 0; index < 20; index++) numbers.add((await store.create(newDomain(index, { number: 7 }))).number)
    assert.equal(numbers.size, 20)
  })

  test('a name that any tenant has already is a conflict, and the existing domain is unchanged', async () => {
    const first = await store.create(FULL)
    for (const tenantId of [TENANT, OTHER_TENANT]) {
      await assert.rejects(
        store.create({ ...newDomain(9), name: FULL.name, tenantId }),
        (error: unknown) => error instanceof AppError && error.code === 'conflict',
      )
    }
    assert.deepEqual(await store.findByName(FULL.name), first)
    assert.equal((await list()).count, 1)
  })

  test('a domain of a tenant that does not exist is not stored', async () => {
    await assert.rejects(store.create(newDomain(1, { tenantId: '01890000-0000-7000-8000-00000000dead' })))
    assert.equal(await store.findByName('d001.test'), undefined)
  })

  test('a listing has only the tenant’s domains, or all domains if no tenant is given', async () => {
    await store.create(newDomain(1))
    await store.create(newDomain(2, { tenantId: OTHER_TENANT }))
    assert.deepEqual(await names(), ['d001.test'])
    assert.equal((await list()).count, 1)
    const everything = await store.list({ skip: 0, take: 100, orderBy: { field: 'name', direction: 'asc' } })
    assert.deepEqual(
      everything.domains.map(({ name }) => name),
      ['d001.test', 'd002.test'],
    )
    assert.equal(everything.count, 2)
  })

  test('count is the number of matches, whatever the page', async () => {
    for (let index = 0; index < 5; index++) await store.create(newDomain(index))
    const page = await list({ skip: 3, take: 10 })
    assert.equal(page.domains.length, 2)
    assert.equal(page.count, 5)
    assert.deepEqual(await list({ skip: 50 }), { domains: [], count: 5 })
    assert.deepEqual((await list({ take: 1 })).domains.length, 1)
  })

  test('following pages returns each domain once, in every order, although all sort keys are equal', async () => {
    for (let index = 0; index < 7; index++) {
      await store.create(newDomain(index, { sendingEmail: 'same@d.test', isActive: true }))
    }
    for (const field of DOMAIN_SORT_FIELDS) {
      for (const direction of ['asc', 'desc'] as const) {
        const seen: string[] = []
        for (let skip = 0; skip < 7; skip += 2) {
          seen.push(...(await names({ skip, take: 2, orderBy: { field, direction } })))
        }
        assert.equal(new Set(seen).size, 7, `${field} ${direction}`)
        assert.equal(seen.length, 7, `${field} ${direction}`)
      }
    }
  })

  test('ties are broken by id, smallest first, in both directions', async () => {
    for (const index of [2, 3, 1]) await store.create(newDomain(index))
    for (const direction of ['asc', 'desc'] as const) {
      const byIdAscending = ['d003.test', 'd002.test', 'd001.test']
      assert.deepEqual(await names({ orderBy: { field: 'updatedAt', direction } }), byIdAscending)
    }
  })

  test('every field sorts by its value; a domain that was never checked sorts before all that were', async () => {
    const low = newDomain(1, { id: '01890000-0000-7000-8000-0000000000aa', description: 'A', sendingEmail: 'a@x.test' })
    const high = newDomain(2, {
      id: '01890000-0000-7000-8000-0000000000bb',
      description: 'a',
      sendingEmail: 'b@x.test',
      isActive: true,
      isApproved: true,
      isVerified: true,
      createdAtMs: low.createdAtMs + 1,
      updatedAtMs: low.updatedAtMs + 1,
      lastVerificationCheckedAtMs: 1,
    })
    await store.create(high)
    await store.create(low)
    for (const field of DOMAIN_SORT_FIELDS) {
      assert.deepEqual(await names({ orderBy: { field, direction: 'asc' } }), [low.name, high.name], field)
      assert.deepEqual(await names({ orderBy: { field, direction: 'desc' } }), [high.name, low.name], field)
    }
  })

  test('onboarded means active, approved and verified; not onboarded is all the rest', async () => {
    let index = 0
    for (const isActive of [true, false]) {
      for (const isApproved of [true, false]) {
        for (const isVerified of [true, false])
          await store.create(newDomain(index++, { isActive, isApproved, isVerified }))
      }
    }
    assert.deepEqual(await names({ onboarded: true }), ['d000.test'])
    assert.equal((await list({ onboarded: true })).count, 1)
    const rest = await list({ onboarded: false })
    assert.equal(rest.count, 7)
    assert.equal(
      rest.domains.some(({ name }) => name === 'd000.test'),
      false,
    )
  })

  test('names and numbers of a tenant are listed by name', async () => {
    const second = await store.create(newDomain(2))
    const first = await store.create(newDomain(1))
    await store.create(newDomain(3, { tenantId: OTHER_TENANT }))
    assert.deepEqual(await store.listNames(TENANT), [
      { name: first.name, number: first.number },
      { name: second.name, number: second.number },
    ])
    assert.deepEqual(await store.listNames('nobody'), [])
  })

  test('names and numbers of all tenants are listed by name, and again after a domain was added', async () => {
    const third = await store.create(newDomain(3, { tenantId: OTHER_TENANT }))
    const first = await store.create(newDomain(1))
    assert.deepEqual(await store.listNames(), [
      { name: first.name, number: first.number },
      { name: third.name, number: third.number },
    ])
    const second = await store.create(newDomain(2))
    assert.deepEqual(
      (await store.listNames()).map(({ number }) => number),
      [first.number, second.number, third.number],
    )
  })

  test('domains are found by any part of the name, literally', async () => {
    for (const number of [1, 12, 112]) await store.create(newDomain(number))
    await store.create(newDomain(113, { tenantId: OTHER_TENANT }))
    const find = async (search: string, tenantId?: string) => {
      const orderBy = { field: 'name', direction: 'asc' } as const
      const { domains, count } = await store.list({ search, ...(tenantId && { tenantId }), skip: 0, take: 2, orderBy })
      return [count, ...domains.map(({ name }) => name)]
    }
    assert.deepEqual(await find('11'), [2, 'd112.test', 'd113.test'])
    assert.deepEqual(await find('11', TENANT), [1, 'd112.test'])
    assert.deepEqual(await find('d'), [4, 'd001.test', 'd012.test'])
    for (const text of ['%', '_', "'", 'd1%']) assert.deepEqual(await find(text), [0], text)
  })

  test('activation changes the flag and updatedAt of that domain only, visible to the next read', async () => {
    const domain = await store.create(FULL)
    const other = await store.create(newDomain(2))
    await store.findByName(domain.name)
    await store.setActive(domain.id, false, 1_800_000_000_000)
    const expected = { ...domain, isActive: false, updatedAtMs: 1_800_000_000_000, deactivatedAtMs: 1_800_000_000_000 }
    assert.deepEqual(await store.findByName(domain.name), expected)
    assert.deepEqual(await store.findById(domain.id), expected)
    assert.deepEqual(await store.findById(other.id), other)
    await store.setActive(domain.id, true, 1_800_000_000_001)
    assert.deepEqual(await store.findById(domain.id), { ...domain, isActive: true, updatedAtMs: 1_800_000_000_001 })
  })

  test('activation with a scheduled check stores it; without one, the schedule is unchanged', async () => {
    const domain = await store.create(newDomain(1))
    const recheck = { atMs: 1_800_000_060_000, step: 1 }
    await store.setActive(domain.id, true, 1_800_000_000_000, recheck)
    assert.deepEqual((await store.findByName(domain.name))?.recheck, recheck)
    await store.setActive(domain.id, false, 1_800_000_000_001)
    assert.deepEqual((await store.findByName(domain.name))?.recheck, recheck)
  })

  const seen = FULL.dnsRecords.map((record) => ({ ...record, status: 'valid' as const, actual: [record.value] }))
  const right: VerificationUpdate = {
    isApproved: true,
    isVerified: true,
    dnsRecords: seen,
    lastVerificationErrors: [],
    lastVerificationCheckedAtMs: 1_800_000_000_000,
    recheck: { atMs: 1_800_086_400_000, step: 0 },
  }

  test('the outcome of a check is stored completely, including updatedAt; the active flag is unchanged', async () => {
    const domain = await store.create(FULL)
    const other = await store.create(newDomain(2))
    await store.findByName(domain.name)
    await store.saveVerification(domain.id, right)
    const { failingSinceMs: _, ...rest } = domain
    const expected = { ...rest, ...right, updatedAtMs: right.lastVerificationCheckedAtMs }
    assert.deepEqual(await store.findByName(domain.name), expected)
    assert.deepEqual(await store.findById(domain.id), expected)
    assert.deepEqual(await store.findById(other.id), other)
    const { recheck: __, ...unplanned } = { ...right, failingSinceMs: 1_800_000_000_000 }
    await store.saveVerification(domain.id, unplanned)
    const failing = await store.findById(domain.id)
    assert.equal(failing?.failingSinceMs, 1_800_000_000_000)
    assert.equal(failing.recheck, undefined)
  })

  test('the SPF policy of a check is stored until a check finds another one; it is not a part of the domain', async () => {
    const domain = await store.create(FULL)
    const other = await store.create(newDomain(2))
    const spf: StoredSpf = {
      lookups: 1,
      voidLookups: { ip4: 0, ip6: 1 },
      isComplete: true,
      policy: { domain: 'd001.test', kind: 'record', text: 'v=spf1 “ü” -all', terms: [{ text: '-all' }] },
      lines: ['d001.test'],
      checkedAtMs: 1_800_000_000_000,
    }
    assert.equal(await store.findSpf(domain.id), undefined)
    await store.saveVerification(domain.id, { ...right, spf })
    assert.deepEqual(await store.findSpf(domain.id), spf)
    assert.deepEqual(Object.keys((await store.findById(domain.id)) ?? {}).includes('spf'), false)
    await store.saveVerification(domain.id, right)
    assert.deepEqual(await store.findSpf(domain.id), spf, 'a check that could not read it')
    await store.saveVerification(domain.id, { ...right, spf: { ...spf, lookups: 11 } })
    assert.equal((await store.findSpf(domain.id))?.lookups, 11)
    await store.saveVerification(domain.id, { ...right, spf: null })
    assert.equal(await store.findSpf(domain.id), undefined)
    assert.equal(await store.findSpf(other.id), undefined)
    assert.equal(await store.findSpf('none'), undefined)
  })

  test('a check updates the findings of records, but neither adds nor removes records', async () => {
    const [record] = FULL.dnsRecords
    assert.ok(record)
    const added = { ...record, name: 's2._domainkey.d001.test' }
    const domain = await store.create({ ...FULL, dnsRecords: [added, { ...record, required: false }] })
    const removed = { ...record, name: 's0._domainkey.d001.test' }
    await store.saveVerification(domain.id, { ...right, dnsRecords: [removed, ...seen] })
    assert.deepEqual((await store.findByName(domain.name))?.dnsRecords, [added, { ...seen[0], required: false }])
  })

  test('the schedule can be changed without any other change', async () => {
    const domain = await store.create(FULL)
    await store.findByName(domain.name)
    const recheck = { atMs: 5, step: 6 }
    await store.saveRecheck(domain.id, recheck)
    assert.deepEqual(await store.findByName(domain.name), { ...domain, recheck })
  })

  test('keys are stored together with their records, and only if neither has changed since the caller read them', async () => {
    const domain = await store.create(FULL)
    const other = await store.create(newDomain(2))
    const update = {
      dkimKeys: [newKey('s2', 'current', 7), newKey('s1', 'previous', 8)],
      dnsRecords: [...FULL.dnsRecords, ...seen.map((record) => ({ ...record, name: 's2._domainkey.d001.test' }))],
      updatedAtMs: 1_800_000_000_000,
    }
    assert.equal(await store.saveKeys(domain, update), true)
    const saved = await store.findByName(domain.name)
    assert.deepEqual(saved, { ...domain, ...update })
    assert.deepEqual(await store.findById(other.id), other)
    // The keys have changed in the meantime.
    assert.equal(await store.saveKeys(domain, { ...update, dkimKeys: [] }), false)
    // The findings of a record have changed in the meantime.
    const { dnsRecords } = update
    const checked = dnsRecords.map((record) => ({ ...record, status: 'unknown' as const }))
    await store.saveVerification(domain.id, { ...right, dnsRecords: checked })
    assert.ok(saved)
    assert.equal(await store.saveKeys(saved, { ...update, dkimKeys: [] }), false)
    assert.deepEqual((await store.findById(domain.id))?.dkimKeys, update.dkimKeys)
    assert.equal(await store.saveKeys({ ...domain, id: other.id.replace(/.$/, 'f') }, update), false)
  })

  test('keys may be stored with a scheduled check', async () => {
    const domain = await store.create(FULL)
    const { dkimKeys, dnsRecords } = domain
    const recheck = { atMs: 1_800_000_060_000, step: 1 }
    await store.saveKeys(domain, { dkimKeys, dnsRecords, updatedAtMs: 1_800_000_000_000, recheck })
    assert.deepEqual((await store.findById(domain.id))?.recheck, recheck)
  })

  dueChecksContract(() => store)
  unprovenDomainsContract(() => store)

  test('domains of a suspended tenant are not due, and are again when it is resumed', async () => {
    const own = await store.create(newDomain(1, { isActive: true, recheck: { atMs: 5, step: 0 } }))
    const other = await store.create(
      newDomain(2, { isActive: true, recheck: { atMs: 6, step: 0 }, tenantId: OTHER_TENANT }),
    )
    await keys.changeTenant(TENANT, { suspendedAtMs: 1 })
    assert.deepEqual(await store.claimDue(10, 10, 1), [other.id])
    await keys.changeTenant(TENANT, { suspendedAtMs: null })
    assert.deepEqual(await store.claimDue(10, 10, 1), [own.id])
  })

  domainNumbersContract(() => ({ store, keys }))
}
