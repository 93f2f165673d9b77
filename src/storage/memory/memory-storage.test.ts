import { describe } from 'node:test'
import { systemClock } from '../../lib/clock.ts'
import { arrivalsContract } from '../contract/arrivals.contract.ts'
import { auditStoreContract } from '../contract/control/audit-store.contract.ts'
import { domainStoreContract } from '../contract/control/domain-store.contract.ts'
import { keyStoreContract } from '../contract/control/key-store.contract.ts'
import { quarantineStoreContract, ROOM_BYTES } from '../contract/control/quarantine-store.contract.ts'
import { removalStoreContract, removedDomainsContract } from '../contract/control/removal-store.contract.ts'
import { retentionStoreContract } from '../contract/control/retention-store.contract.ts'
import { secretStoreContract } from '../contract/control/secret-store.contract.ts'
import { sessionStoreContract } from '../contract/control/session-store.contract.ts'
import { viewStoreContract } from '../contract/control/view-store.contract.ts'
import { deliveryTimesContract } from '../contract/delivery-times.contract.ts'
import { erasureContract } from '../contract/erasure.contract.ts'
import { eventLogContract } from '../contract/event-log.contract.ts'
import { findingsContract } from '../contract/findings.contract.ts'
import { repliesContract } from '../contract/replies.contract.ts'
import { sendingContract } from '../contract/sending.contract.ts'
import { seriesContract } from '../contract/series.contract.ts'
import { storageLifeContract } from '../contract/storage-life.contract.ts'
import { createMemoryAuditStore } from './memory-audit-store.ts'
import { createMemoryQuarantineStore } from './memory-control-store.ts'
import { createMemoryState } from './memory-state.ts'
import { openMemoryStorage } from './open-memory-storage.ts'

const OPTIONS = { clock: systemClock, serviceMessageIdField: 'service_message_id' }

async function open() {
  return Object.assign(openMemoryStorage(OPTIONS), { [Symbol.asyncDispose]: async () => undefined })
}

describe('the in-memory engine', () => {
  eventLogContract(open, { numRuns: 20 })
  arrivalsContract(open, { numRuns: 20 })
  seriesContract(open, { numRuns: 20 })
  repliesContract(open)
  deliveryTimesContract(open)
  findingsContract(open)
  sendingContract(open)
  erasureContract(open, { numRuns: 20 })
  describe('stores removals', () => removalStoreContract(open))
  removedDomainsContract(open)
  describe('stores keys', () =>
    keyStoreContract(async () => ({ store: (await open()).control.keys, close: async () => undefined })))
  describe('stores domains', () =>
    domainStoreContract(async () => {
      const { domains, keys } = (await open()).control
      return { store: domains, keys, close: async () => undefined }
    }))
  describe('stores rejected records', () =>
    quarantineStoreContract(async () => ({
      store: createMemoryQuarantineStore(createMemoryState(), ROOM_BYTES),
      close: async () => undefined,
    })))
  describe('stores generations of the secret', () =>
    secretStoreContract(async () => ({ store: (await open()).control.secrets, close: async () => undefined })))
  describe('stores the state of retention', () =>
    retentionStoreContract(async () => ({ store: (await open()).control.retention, close: async () => undefined })))
  describe('stores ended sessions', () =>
    sessionStoreContract(async () => ({ store: (await open()).control.sessions, close: async () => undefined })))
  describe('stores views', () =>
    viewStoreContract(async () => ({ stores: (await open()).control, close: async () => undefined })))
  describe('stores the audit log', () =>
    auditStoreContract(async (entriesMax) => ({
      store: createMemoryAuditStore(createMemoryState(), entriesMax),
      close: async () => undefined,
    })))
  storageLifeContract(async () => {
    const state = createMemoryState()
    const openAgain = async () => openMemoryStorage({ ...OPTIONS, state })
    return {
      open: openAgain,
      openBeside: openAgain,
      async breakWriting() {
        state.isBroken = true
        return async () => {
          state.isBroken = false
        }
      },
      [Symbol.asyncDispose]: async () => undefined,
    }
  })
})
