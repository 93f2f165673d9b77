import { describe } from 'node:test'
import { openTestStorage } from '../../../../test/harness/sqlite-storage.ts'
import { systemClock } from '../../../lib/clock.ts'
import { eventStoreContract } from '../../contract/event-store.contract.ts'
import { SEARCH_COSTS, type SearchCosts } from './text-driver.ts'

describe('as it is', () => eventStoreContract(() => openTestStorage()))

describe('of a server, which keeps the newest pages', () => {
  eventStoreContract(() => openTestStorage(systemClock, { isServer: true }))
})

describe('asking the search index for every text, and giving up on it early', () => {
  const costs: SearchCosts = { ...SEARCH_COSTS, statement: 0, wrongCandidate: 0, match: 0 }
  eventStoreContract(() => openTestStorage(systemClock, { searchThresholds: { candidatesMax: 3, costs } }))
})

describe('looking at every message of the domain for every text', () => {
  const costs: SearchCosts = { ...SEARCH_COSTS, statement: 0, scannedMessage: 0, match: 0 }
  eventStoreContract(() => openTestStorage(systemClock, { searchThresholds: { candidatesMax: 0, costs } }))
})
