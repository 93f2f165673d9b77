/** What the servers of an installation agree on, in memory. */
import type { Clock } from '../../lib/clock.ts'
import type { SharedState } from '../../lib/shared-state.ts'
import type { MemoryState } from './memory-state.ts'

export interface Lease {
  readonly holder: symbol
  readonly untilMs: number
}

export function createMemorySharedState({ settings, leases }: MemoryState, clock: Clock): SharedState {
  const self = Symbol('server')
  return {
    readClock: async () => clock(),
    settings: {
      find: async (name) => settings.get(name),
      async findOrCreate(name, value) {
        const stored = settings.get(name) ?? Buffer.from(value)
        settings.set(name, stored)
        return stored
      },
      async replace(name, value, before) {
        if (!settings.get(name)?.equals(before)) return false
        settings.set(name, Buffer.from(value))
        return true
      },
    },
    leases: {
      async claim(name, forMs) {
        const held = leases.get(name)
        if (held && held.holder !== self && held.untilMs >= clock()) return false
        leases.set(name, { holder: self, untilMs: clock() + forMs })
        return true
      },
      async release(name) {
        if (leases.get(name)?.holder === self) leases.delete(name)
      },
    },
  }
}
