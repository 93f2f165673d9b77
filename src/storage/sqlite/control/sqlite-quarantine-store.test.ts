import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openControlStores } from '../../../../test/harness/storage/control-stores.ts'
import { LOCAL } from '../../../events/ingest/quarantine-room.ts'
import { AppError } from '../../../lib/app-error.ts'
import { quarantineStoreContract, ROOM_BYTES } from '../../contract/control/quarantine-store.contract.ts'

describe('the SQLite quarantine store fulfils the contract', () => {
  quarantineStoreContract(async () => {
    const stores = openControlStores(ROOM_BYTES)
    return { store: stores.quarantine, close: async () => stores.close() }
  })
})

describe('the SQLite quarantine store', () => {
  test('a full disk is storage_unavailable, and nothing of the batch is stored', async () => {
    const stores = openControlStores()
    const pages = stores.db.get<{ page_count: number }>('PRAGMA page_count')?.page_count ?? 0
    stores.db.execute(`PRAGMA max_page_count = ${pages}`)
    const small = { payload: new Uint8Array(1), connector: 'native', source: LOCAL, reason: 'r' }
    const big = { payload: new Uint8Array(1_000_000), connector: 'native', source: LOCAL, reason: 'r' }
    await assert.rejects(
      stores.quarantine.add([small, big], 1),
      (error: unknown) => error instanceof AppError && error.code === 'storage_unavailable',
    )
    assert.equal(await stores.quarantine.count(), 0)
    stores.close()
  })
})
