/** The part of the contract of a DomainStore about due checks: which domains are claimed, by whom, in which order. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DomainStore } from '../../../domains/domain-store.ts'
import { CHECK_WAIT_MAX_MS, CLAIM_LEASES_MAX } from '../../domain-rules.ts'
import { newDomain, OTHER_TENANT } from './domain-scene.ts'

const BY_NAME = { field: 'name', direction: 'asc' } as const
const at = (atMs: number) => ({ isActive: true, recheck: { atMs, step: 0 } })

/** `store`: the one of the running test, with both tenants. */
export function dueChecksContract(store: () => DomainStore): void {
  test('due domains are active and past their time; longest overdue first, up to the limit', async () => {
    const due = async (nowMs: number, limit = 10) => {
      const ids = await store().claimDue(nowMs, limit, 1)
      await store().releaseClaims(ids)
      return ids
    }
    await store().create(newDomain(0, { isActive: true }))
    await store().create(newDomain(1, { ...at(50), isActive: false }))
    const late = await store().create(newDomain(2, at(300)))
    const early = await store().create(newDomain(3, at(100)))
    const same = await store().create(newDomain(4, { ...at(100), tenantId: OTHER_TENANT }))
    assert.deepEqual(await due(99), [])
    assert.deepEqual(await due(100), [same.id, early.id])
    assert.deepEqual(await due(300), [same.id, early.id, late.id])
    assert.deepEqual(await due(300, 2), [same.id, early.id])
    await store().setActive(same.id, false, 1)
    await store().saveRecheck(early.id, { atMs: 301, step: 1 })
    assert.deepEqual(await due(300), [late.id])
  })

  test('a check or a claim that a wrong clock put into the far future does not keep a domain from being checked', async () => {
    const now = 1_800_000_000_000
    const day = 86_400_000
    const planned = await store().create(newDomain(1, at(now + 100 * day)))
    const claimed = await store().create(newDomain(2, at(now - 10)))
    const soon = await store().create(newDomain(3, at(now + 1.5 * day)))
    await store().create(newDomain(4, { isActive: true }))
    assert.deepEqual(await store().claimDue(now + 50 * day, 10, 1000), [claimed.id, soon.id, planned.id])
    await store().releaseClaims([soon.id])
    // The clock is corrected.
    assert.deepEqual((await store().claimDue(now, 10, 1000)).toSorted(), [claimed.id, planned.id].sort())
    assert.deepEqual(await store().claimDue(now + 999, 10, 1000), [])
    assert.deepEqual(await store().claimDue(now + 1.5 * day, 1, 1000), [claimed.id])
  })

  test('a check is as far in the future as it may be, and a claim as long as those of clocks that differ', async () => {
    const now = 1_800_000_000_000
    const lease = 1000
    const { id } = await store().create(newDomain(1, at(now)))
    const last = now + lease - CLAIM_LEASES_MAX * lease
    await store().create(newDomain(2, at(last - 1 + CHECK_WAIT_MAX_MS)))
    assert.deepEqual(await store().claimDue(now, 10, lease), [id])
    await store().saveRecheck(id, { atMs: last - 1, step: 0 })
    assert.deepEqual(await store().claimDue(last - 1, 10, lease), [id])
    await store().releaseClaims([id])
    assert.deepEqual(await store().claimDue(now, 10, lease), [id])
    assert.deepEqual(await store().claimDue(last, 10, lease), [])
    assert.deepEqual(await store().claimDue(last - 1, 10, lease), [id])
    const [far] = (await store().list({ search: 'd002', skip: 0, take: 1, orderBy: BY_NAME })).domains
    assert.deepEqual(await store().claimDue(last - 2, 10, lease), [far?.id])
  })

  test('the outcome of a check ends the claim on its domain', async () => {
    const domain = await store().create(newDomain(1, at(100)))
    const outcome = {
      isApproved: false,
      isVerified: false,
      dnsRecords: [],
      lastVerificationErrors: [],
      lastVerificationCheckedAtMs: 300,
      recheck: { atMs: 300, step: 1 },
    }
    assert.deepEqual(await store().claimDue(300, 10, 50), [domain.id])
    await store().saveVerification(domain.id, outcome)
    assert.deepEqual(await store().claimDue(300, 10, 50), [domain.id])
  })

  test('tenants take turns: one with many overdue domains does not keep those of others waiting', async () => {
    const many: string[] = []
    for (let index = 0; index < 1100; index++) many.push((await store().create(newDomain(index, at(100 + index)))).id)
    const few: string[] = []
    for (let index = 0; index < 2; index++) {
      const domain = newDomain(2000 + index, { ...at(5000 + index), tenantId: OTHER_TENANT })
      few.push((await store().create(domain)).id)
    }
    assert.deepEqual(await store().claimDue(9000, 6, 50), [many[0], few[0], many[1], few[1], many[2], many[3]])
    assert.deepEqual(await store().claimDue(9000, 3, 50), many.slice(4, 7))
    await store().releaseClaims(few)
    assert.deepEqual(await store().claimDue(9000, 3, 50), [many[7], few[0], many[8]])
  })

  test('a claimed domain is given to nobody else until the lease expires, it is released, or a plan is saved', async () => {
    const first = await store().create(newDomain(1, at(100)))
    const second = await store().create(newDomain(2, at(200)))
    assert.deepEqual(await store().claimDue(300, 1, 50), [first.id])
    assert.deepEqual(await store().claimDue(300, 10, 50), [second.id])
    assert.deepEqual(await store().claimDue(349, 10, 50), [])
    assert.deepEqual(await store().claimDue(350, 10, 50), [first.id, second.id])
    await store().releaseClaims([second.id])
    assert.deepEqual(await store().claimDue(351, 10, 50), [second.id])
    await store().saveRecheck(first.id, { atMs: 352, step: 1 })
    assert.deepEqual(await store().claimDue(352, 10, 50), [first.id])
    // Nobody sees the claim on the domain itself.
    assert.deepEqual(await store().findById(second.id), second)
    const claims = await Promise.all([store().claimDue(500, 1, 50), store().claimDue(500, 1, 50)])
    assert.deepEqual(claims.flat().sort(), [first.id, second.id].sort())
  })
}
