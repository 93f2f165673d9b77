import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newDomain, OTHER_TENANT, TENANT } from '../storage/contract/control/domain-scene.ts'
import type { Domain } from './domain.ts'
import { findProvenDomain, requireDomain, requireDomainById, requireTenantDomain } from './require-domain.ts'

const proven: Domain = { ...newDomain(1, { id: '01890000-0000-7000-8000-00000000abcd' }), number: 1 }
const unproven: Domain = { ...newDomain(2, { tenantId: OTHER_TENANT, proofDueAtMs: 1 }), number: 2 }
const all = [proven, unproven]
const NOT_FOUND = { code: 'domain_not_found', message: 'Domain not found' }

/** Like a store, which is given only what can be a name or an id. */
const domains = {
  async findByName(name: string) {
    assert.match(name, /^[a-z0-9.]+$/)
    return all.find((domain) => domain.name === name)
  },
  async findById(id: string) {
    assert.match(id, /^[0-9a-f-]{36}$/)
    return all.find((domain) => domain.id === id)
  },
}

describe('a domain is looked up', () => {
  test('by its name in any form, by the operator', async () => {
    assert.equal(await requireDomain(domains, 'D001.Test.'), proven)
    assert.equal(await requireDomain(domains, 'd002.test'), unproven)
    for (const name of ['d003.test', 'not a name', '']) await assert.rejects(requireDomain(domains, name), NOT_FOUND)
  })

  test('by its name, only by its own tenant', async () => {
    assert.equal(await requireTenantDomain(domains, TENANT, proven.name), proven)
    for (const [tenantId, name] of [
      [OTHER_TENANT, proven.name],
      [TENANT, unproven.name],
      [TENANT, 'd003.test'],
      [TENANT, 'not a name'],
    ] as const) {
      await assert.rejects(requireTenantDomain(domains, tenantId, name), NOT_FOUND)
    }
  })

  test('for events, if it is proven', async () => {
    assert.equal(await findProvenDomain(domains, 'D001.test'), proven)
    for (const name of ['d002.test', 'd003.test', 'not a name']) {
      assert.equal(await findProvenDomain(domains, name), undefined, name)
    }
  })

  test('by its id, in any letter case, by its own tenant and the operator', async () => {
    const domainId = proven.id.toUpperCase()
    assert.equal(await requireDomainById(domains, { domainId }), proven)
    assert.equal(await requireDomainById(domains, { domainId, tenantId: TENANT }), proven)
    for (const request of [
      { domainId, tenantId: OTHER_TENANT },
      { domainId: '01890000-0000-7000-8000-00000000abce' },
      { domainId: proven.name },
      { domainId: `${proven.id}0` },
    ]) {
      await assert.rejects(requireDomainById(domains, request), NOT_FOUND)
    }
  })
})
