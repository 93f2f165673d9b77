/** The same contracts once more, with every write sent to the writing thread and every read answered on this one. */
import { describe } from 'node:test'
import { openTestStorage } from '../../../../test/harness/sqlite-storage.ts'
import { domainStoreContract } from '../../contract/domain-store.contract.ts'
import { keyStoreContract } from '../../contract/key-store.contract.ts'
import { quarantineStoreContract } from '../../contract/quarantine-store.contract.ts'

describe('the whole storage keeps the contract of keys', () => {
  keyStoreContract(async () => {
    const storage = await openTestStorage()
    return { store: storage.control.keys, close: async () => storage[Symbol.asyncDispose]() }
  })
})

describe('the whole storage keeps the contract of domains', () => {
  domainStoreContract(async () => {
    const storage = await openTestStorage()
    return {
      store: storage.control.domains,
      keys: storage.control.keys,
      close: async () => storage[Symbol.asyncDispose](),
    }
  })
})

describe('the whole storage keeps the contract of the quarantine', () => {
  quarantineStoreContract(async () => {
    const storage = await openTestStorage()
    return { store: storage.control.quarantine, close: async () => storage[Symbol.asyncDispose]() }
  })
})
