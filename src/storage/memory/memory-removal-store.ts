/** Removals in a map. */
import { type NewRemoval, NOTHING_REMOVED, type Removal, type RemovalKind } from '../../events/removal/removal.ts'
import type { RemovalStore } from '../../events/removal/removal-store.ts'
import { forgetDomain, type MemoryState } from './memory-state.ts'

export function createMemoryRemovalStore(state: MemoryState): RemovalStore {
  const { tenants, keys, domains, keySessions, views, removals, removedDomains } = state
  const add = (
    removal: NewRemoval,
    kind: RemovalKind,
    object: string,
    domainNumbers: readonly number[],
    more: Pick<Removal, 'address'> = {},
  ): Removal => {
    const stage = kind === 'recipient' ? 'hits' : 'events'
    const added: Removal = { ...removal, ...more, kind, object, domainNumbers, stage, result: NOTHING_REMOVED }
    for (const number of domainNumbers) removedDomains.add(number)
    removals.set(removal.id, added)
    return added
  }
  const byId = () => [...removals.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
  return {
    async removeTenant(tenantId, removal) {
      if (!tenants.delete(tenantId)) return undefined
      for (const key of [...keys.values()].filter(({ tenant }) => tenant?.id === tenantId)) {
        keys.delete(key.id)
        keySessions.delete(key.id)
        views.delete(key.id)
      }
      const owned = [...domains.values()].filter((domain) => domain.tenantId === tenantId)
      for (const { id } of owned) forgetDomain(state, id)
      return add(
        removal,
        'tenant',
        tenantId,
        owned.map(({ number }) => number),
      )
    },
    async removeDomain(domainId, removal) {
      const domain = domains.get(domainId)
      if (!domain) return undefined
      forgetDomain(state, domainId)
      return add(removal, 'domain', domain.name, [domain.number])
    },
    addRecipient: async (address, object, removal) => add(removal, 'recipient', object, [], { address }),
    find: async (id) => removals.get(id),
    list: async (limit) => byId().toReversed().slice(0, limit),
    listUnfinished: async () => byId().filter(({ finishedAtMs }) => finishedAtMs === undefined),
    async save(id, progress) {
      const found = removals.get(id)
      if (!found || found.finishedAtMs !== undefined) return
      const { address, position: _, ...removal } = found
      const isNeeded = address !== undefined && progress.stage !== 'scrub'
      removals.set(id, { ...removal, ...progress, ...(isNeeded && { address }) })
    },
    scrub: async () => true,
    async finish(id, nowMs) {
      const removal = removals.get(id)
      if (removal) removals.set(id, { ...removal, finishedAtMs: removal.finishedAtMs ?? nowMs })
    },
  }
}
