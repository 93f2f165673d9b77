import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openControlStores } from '../../../../test/harness/storage/control-stores.ts'
import type { Domain } from '../../../domains/domain.ts'
import { domainStoreContract } from '../../contract/control/domain-store.contract.ts'
import { openControlDatabase } from './control-database.ts'
import { BRING_FORWARD, COUNT_BY_STATE, createDomainStore, LIST_DUE } from './sqlite-domain-store.ts'

const DOMAIN: Omit<Domain, 'number'> = {
  id: '01890000-0000-7000-8000-0000000000aa',
  tenantId: '01890000-0000-7000-8000-000000000001',
  name: 'example.com',
  description: '',
  sendingEmail: 'postmaster@example.com',
  dnsRecords: [],
  dkimKeys: [],
  isActive: false,
  isApproved: false,
  isVerified: false,
  lastVerificationErrors: [],
  createdAtMs: 1,
  updatedAtMs: 1,
}

async function openWithTenant() {
  const stores = openControlStores()
  await stores.keys.createTenant({ id: DOMAIN.tenantId, clientId: 'client_a', name: 'acme', createdAtMs: 1 })
  return stores
}

describe('the SQLite domain store fulfils the contract', () => {
  domainStoreContract(async () => {
    const stores = openControlStores()
    return { store: stores.domains, keys: stores.keys, close: async () => stores.close() }
  })
})

describe('the SQLite domain store', () => {
  test('a domain that another connection activated is seen as active after the next write to the store', async () => {
    const stores = await openWithTenant()
    const { id, name } = await stores.domains.create(DOMAIN)
    assert.equal((await stores.domains.findByName(name))?.isActive, false)
    const other = openControlDatabase(stores.folder)
    await createDomainStore(other).setActive(id, true, 2)
    other.close()
    await stores.domains.releaseClaims([])
    assert.equal((await stores.domains.findByName(name))?.isActive, true)
    stores.close()
  })

  test('the number of a removed domain is never reused', async () => {
    const stores = await openWithTenant()
    const { number } = await stores.domains.create(DOMAIN)
    stores.db.execute('DELETE FROM domain')
    assert.ok((await stores.domains.create(DOMAIN)).number > number)
    stores.close()
  })

  test('the listing of a tenant in its default order walks an index without sorting', async () => {
    const stores = await openWithTenant()
    const plan = stores.db.all<{ detail: string }>(
      'EXPLAIN QUERY PLAN SELECT * FROM domain WHERE TRUE AND tenant_id = ? ORDER BY updated_at_ms DESC, id LIMIT 1 OFFSET 0',
      DOMAIN.tenantId,
    )
    const text = plan.map(({ detail }) => detail).join('\n')
    assert.match(text, /domain_by_tenant_and_update/)
    assert.doesNotMatch(text, /TEMP B-TREE/)
    stores.close()
  })

  test('due domains and the counts by state are read from indexes only', async () => {
    const stores = await openWithTenant()
    const plan = (sql: string, ...values: (number | string)[]) =>
      stores.db
        .all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...values)
        .map(({ detail }) => detail)
        .join('\n')
    const due = plan(LIST_DUE, 1, 2, 3, '[]', 1)
    assert.match(due, /SEARCH domain USING COVERING INDEX domain_by_next_check/)
    assert.doesNotMatch(due, /TEMP B-TREE/)
    assert.match(plan(BRING_FORWARD, 1, 2), /USING COVERING INDEX domain_by_next_check/)
    assert.match(plan(COUNT_BY_STATE), /COVERING INDEX domain_by_state/)
    stores.close()
  })
})
