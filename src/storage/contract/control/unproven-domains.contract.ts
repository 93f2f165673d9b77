/** The contract of every DomainStore: domains that tenants added and have not proven yet, and the history of checks. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StoredSpf } from '../../../domains/checks/report-json.ts'
import type { DomainStore, VerificationUpdate } from '../../../domains/domain-store.ts'
import { UNPROVEN_MAX } from '../../../domains/registration/unproven-domain.ts'
import { newDomain, OTHER_TENANT, TENANT } from './domain-scene.ts'

const DUE_MS = 1_700_000_100_000
const unproven = { isActive: true, proofDueAtMs: DUE_MS }

const wrong: VerificationUpdate = {
  isApproved: false,
  isVerified: false,
  dnsRecords: [],
  lastVerificationErrors: [],
  lastVerificationCheckedAtMs: 1_700_000_000_500,
  result: { outcome: 'record_wrong', wrong: ['DKIM', 'DMARC'] },
}
const right: VerificationUpdate = {
  ...wrong,
  isApproved: true,
  isVerified: true,
  lastVerificationCheckedAtMs: 1_700_000_000_700,
  result: { outcome: 'all_right', wrong: [] },
}
const SPF: StoredSpf = {
  lookups: 1,
  voidLookups: { ip4: 0, ip6: 0 },
  isComplete: true,
  policy: { domain: 'd001.test', kind: 'record', text: 'v=spf1 -all', terms: [{ text: '-all' }] },
  lines: ['d001.test'],
  checkedAtMs: 1_700_000_000_500,
}

export function unprovenDomainsContract(open: () => DomainStore): void {
  const taken = { code: 'conflict' }

  test('a domain is unproven until it is verified, or the operator activates it', async () => {
    const store = open()
    const checked = await store.create(newDomain(1, unproven))
    const activated = await store.create(newDomain(2, unproven))
    assert.equal((await store.findByName(checked.name))?.proofDueAtMs, DUE_MS)
    await store.saveVerification(checked.id, wrong)
    assert.equal((await store.findByName(checked.name))?.proofDueAtMs, DUE_MS)
    await store.saveVerification(checked.id, right)
    assert.equal((await store.findByName(checked.name))?.proofDueAtMs, undefined)
    await store.setActive(activated.id, false, 1_700_000_000_800)
    assert.equal((await store.findById(activated.id))?.proofDueAtMs, DUE_MS)
    await store.setActive(activated.id, true, 1_700_000_000_900)
    assert.equal((await store.findById(activated.id))?.proofDueAtMs, undefined)
  })

  test('an unproven domain is due for checks like any active one', async () => {
    const store = open()
    const { id } = await store.create(newDomain(1, { ...unproven, recheck: { atMs: 1_700_000_000_100, step: 0 } }))
    assert.deepEqual(await store.claimDue(1_700_000_000_200, 10, 1000), [id])
  })

  test('a name that is reserved is taken for other tenants until then, but not for the operator', async () => {
    const store = open()
    const first = await store.create(newDomain(1, unproven))
    const others = (id: string, extra: object) => ({ ...newDomain(1, { tenantId: OTHER_TENANT, ...extra }), id })
    const claim = others('01890000-0000-7000-8000-0000000000a1', { ...unproven, createdAtMs: DUE_MS - 1 })
    await assert.rejects(store.create(claim), taken)
    await store.findByName(first.name)
    const second = await store.create({ ...claim, createdAtMs: DUE_MS, proofDueAtMs: DUE_MS * 2 })
    assert.deepEqual(await store.findByName(first.name), second)
    assert.equal(await store.findById(first.id), undefined)
    assert(second.number > first.number)
    assert.deepEqual(await store.listNames(TENANT), [])
    const own = { ...newDomain(1, { createdAtMs: DUE_MS }), id: '01890000-0000-7000-8000-0000000000a2' }
    await store.create(own)
    assert.equal((await store.findByName(first.name))?.tenantId, TENANT)
    assert.equal(await store.findById(second.id), undefined)
    await assert.rejects(store.create({ ...claim, createdAtMs: DUE_MS * 3 }), taken, 'proven')
  })

  test("the operator does not replace a tenant's unproven domain by another one of the same tenant", async () => {
    const store = open()
    const claimed = await store.create(newDomain(1, unproven))
    const again = { ...newDomain(1), id: '01890000-0000-7000-8000-0000000000a1', createdAtMs: DUE_MS * 2 }
    await assert.rejects(store.create(again), taken)
    assert.deepEqual(await store.findByName(claimed.name), claimed)
  })

  test('a tenant can have a limited number of unproven domains, and any number of proven ones', async () => {
    const store = open()
    const all = []
    for (let index = 0; index < UNPROVEN_MAX; index++) all.push(await store.create(newDomain(index, unproven)))
    await assert.rejects(store.create(newDomain(500, unproven)), { code: 'quota_exceeded' })
    assert.equal(await store.findByName('d500.test'), undefined)
    await store.create(newDomain(501))
    await store.create(newDomain(502, { ...unproven, tenantId: OTHER_TENANT }))
    await store.saveVerification(all[0]?.id ?? '', right)
    await store.create(newDomain(500, unproven))
  })

  test('an unproven domain can be removed; one that is proven or deactivated cannot', async () => {
    const store = open()
    const claimed = await store.create(newDomain(1, unproven))
    const proven = await store.create(newDomain(2, { isActive: true }))
    const inactive = await store.create(newDomain(3, { ...unproven, isActive: false }))
    await store.findByName(claimed.name)
    assert.equal(await store.removeUnproven(claimed.id), true)
    assert.equal(await store.findByName(claimed.name), undefined)
    for (const { id } of [claimed, proven, inactive]) assert.equal(await store.removeUnproven(id), false)
    assert.deepEqual(await store.findById(proven.id), proven)
    assert.deepEqual(await store.findById(inactive.id), inactive)
  })

  test('the results of checks are kept, newest first; a check that did not query DNS adds none', async () => {
    const store = open()
    const domain = await store.create(newDomain(1))
    assert.deepEqual(await store.findChecks(domain.id), [])
    await store.saveVerification(domain.id, wrong)
    await store.saveVerification(domain.id, { ...wrong, lastVerificationCheckedAtMs: 1_700_000_000_600 })
    await store.saveVerification(domain.id, right)
    const { result: _, ...unasked } = wrong
    await store.saveVerification(domain.id, { ...unasked, lastVerificationCheckedAtMs: 1_700_000_000_900 })
    assert.deepEqual(await store.findChecks(domain.id), [
      { outcome: 'all_right', wrong: [], firstAtMs: 1_700_000_000_700, lastAtMs: 1_700_000_000_700, checks: 1 },
      {
        outcome: 'record_wrong',
        wrong: ['DKIM', 'DMARC'],
        firstAtMs: 1_700_000_000_500,
        lastAtMs: 1_700_000_000_600,
        checks: 2,
      },
    ])
    assert.equal('checks' in ((await store.findById(domain.id)) ?? {}), false)
    assert.deepEqual(await store.findChecks('none'), [])
  })

  test('of a domain that was removed nothing is left, and nothing is added: one with the same id begins anew', async () => {
    const store = open()
    const domain = newDomain(1, { ...unproven, recheck: { atMs: 5, step: 0 } })
    const checked = { ...wrong, spf: SPF, recheck: { atMs: 5, step: 1 } }
    const found = async () => [await store.findSpf(domain.id), await store.findChecks(domain.id)]
    await store.create(domain)
    await store.saveVerification(domain.id, checked)
    assert.deepEqual(await store.claimDue(10, 10, 1000), [domain.id])
    assert.equal((await store.findChecks(domain.id)).length, 1)
    assert.equal(await store.removeUnproven(domain.id), true)
    assert.deepEqual(await found(), [undefined, []])
    // A check that was running when it was removed.
    await store.saveVerification(domain.id, checked)
    await store.setActive(domain.id, true, 1)
    assert.deepEqual(await found(), [undefined, []])
    const again = await store.create(domain)
    assert.deepEqual(await store.findById(domain.id), again)
    assert.deepEqual(await found(), [undefined, []])
    assert.deepEqual(await store.claimDue(10, 10, 1000), [domain.id])
  })
}
