import { describe } from 'node:test'
import { openTestStorage } from '../../../../test/harness/sqlite-storage.ts'
import { systemClock } from '../../../lib/clock.ts'
import { eventStoreContract } from '../../contract/event-store.contract.ts'

describe('as it is', () => eventStoreContract(() => openTestStorage()))

describe('of a server, which keeps the newest pages', () => {
  eventStoreContract(() => openTestStorage(systemClock, { isServer: true }))
})

describe('asking the search index for every text, and giving up on it early', () => {
  const searchThresholds = { candidatesMax: 3, rowsPerQuery: 0 }
  eventStoreContract(() => openTestStorage(systemClock, { searchThresholds }))
})
