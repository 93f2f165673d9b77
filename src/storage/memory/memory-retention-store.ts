/** The state of retention in memory. */
import type { RetentionStore } from '../../events/retention/retention-store.ts'
import type { MemoryState } from './memory-state.ts'

export function createMemoryRetentionStore(state: MemoryState): RetentionStore {
  return {
    find: async () => state.retention,
    async save(next) {
      state.retention = next
    },
  }
}
