import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openControlStores } from '../../../../test/harness/storage/control-stores.ts'
import { mintApiKey } from '../../../tenants/api-key.ts'
import { keyStoreContract } from '../../contract/control/key-store.contract.ts'
import { openControlDatabase } from './control-database.ts'
import { createKeyStore } from './sqlite-key-store.ts'

describe('the SQLite key store fulfils the contract', () => {
  keyStoreContract(async () => {
    const stores = openControlStores()
    return { store: stores.keys, close: async () => stores.close() }
  })
})

test('a key is read from the file once, and again after the next write to the store', async () => {
  const stores = openControlStores()
  const { id, secretHash } = mintApiKey()
  assert.equal(await stores.keys.findKey(id), undefined, 'missing keys are not cached')
  await stores.keys.createKey({ id, secretHash, scopes: ['ingest'], createdAtMs: 1 })
  assert.equal((await stores.keys.findKey(id))?.revokedAtMs, undefined)
  const other = openControlDatabase(stores.folder)
  await createKeyStore(other).revokeKey(id, 2)
  other.close()
  assert.equal((await stores.keys.findKey(id))?.revokedAtMs, undefined)
  await stores.keys.recordKeyUse(new Map())
  assert.equal((await stores.keys.findKey(id))?.revokedAtMs, 2)
  stores.close()
})
