import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { type ControlStores, openControlStores } from '../../../../test/harness/control-stores.ts'
import { mintApiKey } from '../../../tenants/api-key.ts'
import { keyStoreContract } from '../../contract/key-store.contract.ts'
import { openControlDatabase } from './control-database.ts'
import { SqliteKeyStore } from './sqlite-key-store.ts'

describe('SqliteKeyStore keeps the contract', () => {
  keyStoreContract(async () => {
    const stores = openControlStores()
    return { store: stores.keys, close: async () => stores.close() }
  })
})

describe('SqliteKeyStore beside another process', () => {
  let stores: ControlStores
  beforeEach(() => {
    stores = openControlStores()
  })
  afterEach(() => stores.close())

  test('a key that another connection revoked is seen as revoked by the very next look-up', async () => {
    const { id, secretHash } = mintApiKey()
    await stores.keys.createKey({ id, secretHash, scopes: ['ingest'], createdAtMs: 1 })
    const other = openControlDatabase(stores.folder)
    try {
      const elsewhere = new SqliteKeyStore(other)
      for (const store of [stores.keys, elsewhere]) assert.equal((await store.findKey(id))?.revokedAtMs, undefined)
      await elsewhere.revokeKey(id, 2)
      for (const store of [stores.keys, elsewhere]) assert.equal((await store.findKey(id))?.revokedAtMs, 2)
    } finally {
      other.close()
    }
  })

  test('a key that another connection created is found although it was asked for before', async () => {
    const { id, secretHash } = mintApiKey()
    assert.equal(await stores.keys.findKey(id), undefined)
    const other = openControlDatabase(stores.folder)
    await new SqliteKeyStore(other).createKey({ id, secretHash, scopes: [], createdAtMs: 1 })
    other.close()
    assert.equal((await stores.keys.findKey(id))?.id, id)
  })
})
