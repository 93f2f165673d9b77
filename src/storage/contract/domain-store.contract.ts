/** What every DomainStore promises, whatever it is built on. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import type { Domain } from '../../domains/domain.ts'
import { DOMAIN_SORT_FIELDS, type DomainListQuery, type DomainStore } from '../../domains/domain-store.ts'
import { AppError } from '../../lib/app-error.ts'
import type { KeyStore } from '../../tenants/key-store.ts'

export interface OpenedDomainStore {
  readonly store: DomainStore
  /** Over the same storage: domains belong to tenants. */
  readonly keys: KeyStore
  readonly close: () => Promise<void>
}

const TENANT = '01890000-0000-7000-8000-000000000001'
const OTHER_TENANT = '01890000-0000-7000-8000-000000000002'
const UPDATED_FIRST: DomainListQuery['orderBy'] = { field: 'updatedAt', direction: 'desc' }

/** Ids count down while names count up, so that no order is right by accident. */
function newDomain(index: number, extra: Partial<Domain> = {}): Omit<Domain, 'number'> {
  return {
    id: `01890000-0000-7000-8000-${String(1000 - index).padStart(12, '0')}`,
    tenantId: TENANT,
    name: `d${String(index).padStart(3, '0')}.test`,
    description: '',
    sendingEmail: `postmaster@d${index}.test`,
    dnsRecords: [],
    isActive: false,
    isApproved: false,
    isVerified: false,
    lastVerificationErrors: [],
    createdAtMs: 1_700_000_000_000,
    updatedAtMs: 1_700_000_000_000,
    ...extra,
  }
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
  dkimKey: { selector: 's1', publicKey: 'a2V5', sealedPrivateKey: Uint8Array.from([0, 1, 255]) },
  lastVerificationErrors: [{ type: 'TXT', error: 'Wrong value', required: ['a'], actual: ['b', 'c'] }],
  lastVerificationCheckedAtMs: 1_700_000_000_500,
})

export function domainStoreContract(open: () => Promise<OpenedDomainStore>): void {
  let store: DomainStore
  let close: () => Promise<void>

  beforeEach(async () => {
    const opened = await open()
    ;({ store, close } = opened)
    for (const id of [TENANT, OTHER_TENANT]) {
      await opened.keys.createTenant({ id, clientId: `client_${id}`, name: id, createdAtMs: 0 })
    }
  })
  afterEach(() => close())

  const list = (query: Partial<DomainListQuery> = {}) =>
    store.list({ tenantId: TENANT, skip: 0, take: 100, orderBy: UPDATED_FIRST, ...query })
  const names = async (query: Partial<DomainListQuery> = {}) => (await list(query)).domains.map(({ name }) => name)

  test('a domain is returned, found by name and found by id exactly as it was given, with a number', async () => {
    const created = await store.create(FULL)
    assert.ok(Number.isSafeInteger(created.number) && created.number > 0)
    assert.deepEqual(created, { ...FULL, number: created.number })
    assert.deepEqual(await store.findByName(FULL.name), created)
    assert.deepEqual(await store.findById(FULL.id), created)
  })

  test('a domain without key and without check has neither', async () => {
    const created = await store.create(newDomain(2))
    assert.equal('dkimKey' in created, false)
    assert.equal('lastVerificationCheckedAtMs' in created, false)
  })

  test('nothing else is found', async () => {
    await store.create(FULL)
    for (const text of ['', 'd002.test', 'D001.TEST', 'd001.test.', '%', "' OR 1=1 --"]) {
      assert.equal(await store.findByName(text), undefined, text)
      assert.equal(await store.findById(text), undefined, text)
    }
  })

  test('numbers are never the same', async () => {
    const numbers = new Set<number>()
    for (let index = 0; index < 20; index++) numbers.add((await store.create(newDomain(index))).number)
    assert.equal(numbers.size, 20)
  })

  test('a name that is taken, by whichever tenant, is a conflict and leaves the first one as it was', async () => {
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

  test('a listing holds the tenant’s domains only, or all of them when no tenant is named', async () => {
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

  test('activation changes the flag and the time of change, of that domain alone, for the next look-up', async () => {
    const domain = await store.create(FULL)
    const other = await store.create(newDomain(2))
    await store.findByName(domain.name)
    await store.setActive(domain.id, false, 1_800_000_000_000)
    const expected = { ...domain, isActive: false, updatedAtMs: 1_800_000_000_000 }
    assert.deepEqual(await store.findByName(domain.name), expected)
    assert.deepEqual(await store.findById(domain.id), expected)
    assert.deepEqual(await store.findById(other.id), other)
  })

  test('the outcome of a check is written whole, the time of change included, and leaves the active flag alone', async () => {
    const domain = await store.create(FULL)
    const other = await store.create(newDomain(2))
    await store.findByName(domain.name)
    const update = {
      isApproved: true,
      isVerified: true,
      dnsRecords: FULL.dnsRecords.map((record) => ({ ...record, status: 'valid' as const, actual: [record.value] })),
      lastVerificationErrors: [],
      lastVerificationCheckedAtMs: 1_800_000_000_000,
    }
    await store.saveVerification(domain.id, update)
    const expected = { ...domain, ...update, updatedAtMs: update.lastVerificationCheckedAtMs }
    assert.deepEqual(await store.findByName(domain.name), expected)
    assert.deepEqual(await store.findById(domain.id), expected)
    assert.deepEqual(await store.findById(other.id), other)
  })
}
