/** The in-memory engine: for fast tests, and as a readable specification of the ports. */
import type { Clock } from '../../lib/clock.ts'
import type { Storage } from '../storage.ts'
import { createMemoryAuditStore } from './memory-audit-store.ts'
import { createMemoryDomainStore, createMemoryKeyStore, createMemoryQuarantineStore } from './memory-control-store.ts'
import { createMemoryEventLog } from './memory-event-log.ts'
import { createMemoryRemovalStore } from './memory-removal-store.ts'
import { createMemoryRetentionStore } from './memory-retention-store.ts'
import { createMemorySecretStore, createMemorySessionStore } from './memory-secret-stores.ts'
import { createMemorySharedState } from './memory-shared-state.ts'
import { createMemoryState, type MemoryState } from './memory-state.ts'
import { createMemoryViewStore } from './memory-view-store.ts'

export interface MemoryStorageOptions {
  readonly clock: Clock
  readonly serviceMessageIdField: string
  /** Shared by all handles. */
  readonly state?: MemoryState
  /** The handles are servers of one installation. */
  readonly isShared?: boolean
}

export function openMemoryStorage(options: MemoryStorageOptions): Storage {
  const { clock, serviceMessageIdField, state = createMemoryState(), isShared = false } = options
  return {
    log: createMemoryEventLog(state, clock, serviceMessageIdField),
    control: {
      keys: createMemoryKeyStore(state),
      domains: createMemoryDomainStore(state),
      quarantine: createMemoryQuarantineStore(state),
      secrets: createMemorySecretStore(state),
      sessions: createMemorySessionStore(state),
      views: createMemoryViewStore(state),
      audit: createMemoryAuditStore(state),
      removals: createMemoryRemovalStore(state),
      retention: createMemoryRetentionStore(state),
    },
    capabilities: {},
    ...(isShared && { shared: createMemorySharedState(state, clock) }),
    get health() {
      return { writable: !state.isBroken, queuedEvents: 0 }
    },
    close: async () => undefined,
  }
}
