import { describe } from 'node:test'
import { openControlStores } from '../../../../test/harness/storage/control-stores.ts'
import { auditStoreContract } from '../../contract/control/audit-store.contract.ts'
import { createAuditStore } from './sqlite-audit-store.ts'

describe('the SQLite audit store fulfils the contract', () => {
  auditStoreContract(async (entriesMax) => {
    const stores = openControlStores()
    const store = entriesMax ? createAuditStore(stores.db, entriesMax) : stores.audit
    return { store, close: async () => stores.close() }
  })
})
