/** Generations of the data secret, and ended sessions, in memory. */
import { isDeepStrictEqual } from 'node:util'
import { AppError } from '../../lib/app-error.ts'
import type { SecretStore } from '../../lib/sealing/secret-store.ts'
import { NO_SESSIONS, type SessionStore } from '../../tenants/session-store.ts'
import type { MemoryState } from './memory-state.ts'

export function createMemorySecretStore(state: MemoryState): SecretStore {
  return {
    listGenerations: async () => state.secretGenerations,
    async replaceGenerations(generations, newestId) {
      if (state.secretGenerations[0]?.id !== newestId) {
        throw new AppError('conflict', 'The secret was changed at the same time. Retry.')
      }
      state.secretGenerations = generations
    },
  }
}

export function createMemorySessionStore({ keySessions }: MemoryState): SessionStore {
  const find = (keyId: string) => keySessions.get(keyId) ?? NO_SESSIONS
  return {
    findSessions: async (keyId) => find(keyId),
    async saveSessions(keyId, before, after) {
      if (!isDeepStrictEqual(find(keyId), before)) return false
      keySessions.set(keyId, after)
      return true
    },
  }
}
