/** The same contracts with every write sent to the writing thread and every read answered on this one. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openTestStorage } from '../../../../test/harness/storage/sqlite-storage.ts'
import { addDomain } from '../../../domains/registration/add-domain.ts'
import { createSealer } from '../../../lib/sealing/sealer.ts'
import { mintApiKey } from '../../../tenants/api-key.ts'
import { createTenant } from '../../../tenants/create-tenant.ts'
import { domainStoreContract } from '../../contract/control/domain-store.contract.ts'
import { keyStoreContract } from '../../contract/control/key-store.contract.ts'
import { quarantineStoreContract, ROOM_BYTES } from '../../contract/control/quarantine-store.contract.ts'
import { retentionStoreContract } from '../../contract/control/retention-store.contract.ts'
import { secretStoreContract } from '../../contract/control/secret-store.contract.ts'
import { sessionStoreContract } from '../../contract/control/session-store.contract.ts'
import { viewStoreContract } from '../../contract/control/view-store.contract.ts'

describe('the whole storage fulfils the contract of keys', () => {
  keyStoreContract(async () => {
    const storage = await openTestStorage()
    return { store: storage.control.keys, close: async () => storage[Symbol.asyncDispose]() }
  })
})

describe('the whole storage fulfils the contract of domains', () => {
  domainStoreContract(async () => {
    const storage = await openTestStorage()
    return {
      store: storage.control.domains,
      keys: storage.control.keys,
      close: async () => storage[Symbol.asyncDispose](),
    }
  })
})

describe('the whole storage fulfils the contract of the quarantine', () => {
  quarantineStoreContract(async () => {
    const storage = await openTestStorage(undefined, { quarantineBytes: ROOM_BYTES })
    return { store: storage.control.quarantine, close: async () => storage[Symbol.asyncDispose]() }
  })
})

describe('the whole storage fulfils the contract of secrets', () => {
  secretStoreContract(async () => {
    const storage = await openTestStorage()
    return { store: storage.control.secrets, close: async () => storage[Symbol.asyncDispose]() }
  })
})

describe('the whole storage fulfils the contract of the state of retention', () => {
  retentionStoreContract(async () => {
    const storage = await openTestStorage()
    return { store: storage.control.retention, close: async () => storage[Symbol.asyncDispose]() }
  })
})

describe('the whole storage fulfils the contract of ended sessions', () => {
  sessionStoreContract(async () => {
    const storage = await openTestStorage()
    return { store: storage.control.sessions, close: async () => storage[Symbol.asyncDispose]() }
  })
})

describe('the whole storage fulfils the contract of views', () => {
  viewStoreContract(async () => {
    const storage = await openTestStorage()
    return { stores: storage.control, close: async () => storage[Symbol.asyncDispose]() }
  })
})

test('a revoked key is refused by the next read, although it was cached', async () => {
  await using storage = await openTestStorage()
  const { keys } = storage.control
  const { id, secretHash } = mintApiKey()
  assert.equal(await keys.findKey(id), undefined)
  await keys.createKey({ id, secretHash, scopes: ['ingest'], createdAtMs: 1 })
  assert.equal((await keys.findKey(id))?.revokedAtMs, undefined)
  await keys.revokeKey(id, 2)
  assert.equal((await keys.findKey(id))?.revokedAtMs, 2)
})

test('a change of a domain is visible to the next read, and a new domain to the next list of names', async () => {
  await using storage = await openTestStorage()
  const { domains, keys } = storage.control
  const deps = { domains, keys, clock: () => 1, sealer: createSealer(Buffer.alloc(32), 'test'), spfInclude: 'spf.test' }
  const { id: tenantId } = await createTenant(deps, 'acme')
  assert.deepEqual(await domains.listNames(tenantId), [])
  const { id, name } = await addDomain(deps, { name: 'a.test', tenantName: 'acme', isActive: false })
  assert.equal((await domains.listNames(tenantId)).length, 1)
  assert.equal((await domains.findByName(name))?.isActive, false)
  await domains.setActive(id, true, 2)
  assert.equal((await domains.findByName(name))?.isActive, true)
})

test('domains are not read again after a search for due checks that has found none', async () => {
  await using storage = await openTestStorage()
  const { domains, keys } = storage.control
  const deps = { domains, keys, clock: () => 1, sealer: createSealer(Buffer.alloc(32), 'test'), spfInclude: 'spf.test' }
  await createTenant(deps, 'acme')
  const { id, name, recheck } = await addDomain(deps, { name: 'a.test', tenantName: 'acme', isActive: true })
  const kept = await domains.findByName(name)
  assert.deepEqual(await domains.claimDue(0, 10, 1000), [])
  assert.equal(await domains.findByName(name), kept, 'the same object')
  assert.deepEqual(await domains.claimDue(recheck?.atMs ?? 0, 10, 1000), [id])
  assert.notEqual(await domains.findByName(name), kept)
})
