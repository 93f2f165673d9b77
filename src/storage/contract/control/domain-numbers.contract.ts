/** The contract of every DomainStore: how many domains there are, and how many a tenant may have. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../lib/app-error.ts'
import { newDomain, OTHER_TENANT, TENANT } from './domain-scene.ts'
import type { OpenedDomainStore } from './domain-store.contract.ts'

export function domainNumbersContract(open: () => Pick<OpenedDomainStore, 'store' | 'keys'>): void {
  test('the census counts every domain once', async () => {
    const { store } = open()
    assert.deepEqual(await store.census(), { verified: 0, failing: 0, unverified: 0, inactive: 0 })
    let index = 0
    for (const isActive of [true, false]) {
      for (const isVerified of [true, false]) {
        const flags = { isActive, isVerified, isApproved: isVerified }
        await store.create(newDomain(index++, flags))
        if (isVerified) await store.create(newDomain(index++, { ...flags, failingSinceMs: 1 }))
        if (isVerified) await store.create(newDomain(index++, { ...flags, failingSinceMs: 2, tenantId: OTHER_TENANT }))
      }
    }
    await store.create(newDomain(index))
    assert.deepEqual(await store.census(), { verified: 1, failing: 2, unverified: 1, inactive: 5 })
  })

  test('a tenant cannot have more domains than its quota, even if they are added at once', async () => {
    const { store, keys } = open()
    await keys.changeQuotas(TENANT, { domains: 2 })
    const outcomes = await Promise.allSettled([1, 2, 3, 4].map((index) => store.create(newDomain(index))))
    const refusals = outcomes.filter((outcome) => outcome.status === 'rejected')
    assert.equal(refusals.length, 2)
    for (const { reason } of refusals) assert.ok(reason instanceof AppError && reason.code === 'quota_exceeded')
    assert.equal((await store.listNames(TENANT)).length, 2)
    assert.deepEqual((await keys.countUse(0)).get(TENANT), { domains: 2, keys: 0 })
    assert.deepEqual(await keys.countUseOf(TENANT, 0), { domains: 2, keys: 0 })
    await store.create(newDomain(5, { tenantId: OTHER_TENANT }))
    assert.deepEqual(await keys.countUseOf(TENANT, 0), { domains: 2, keys: 0 })
    assert.deepEqual(await keys.countUseOf(OTHER_TENANT, 0), { domains: 1, keys: 0 })
    await keys.changeQuotas(TENANT, { domains: 3 })
    await store.create(newDomain(6))
  })
}
