/** Saved views in a map of maps. */
import { lowerAscii } from '../../lib/text/case-folding.ts'
import type { SavedView, ViewStore } from '../../tenants/view-store.ts'
import type { MemoryState } from './memory-state.ts'

export function createMemoryViewStore({ keys, views }: MemoryState): ViewStore {
  const of = (keyId: string) => views.get(keyId) ?? new Map<string, SavedView>()
  return {
    listViews: async (keyId) =>
      [...of(keyId).values()].sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name))),
    async saveView(keyId, view, viewsMax, replaces = view.name) {
      const key = keys.get(keyId)
      if (!key || key.revokedAtMs !== undefined) return 'no_key'
      const own = of(keyId)
      const others = [...own.keys()].filter((name) => name !== view.name && name !== replaces)
      if (others.length >= viewsMax) return 'full'
      own.delete(replaces)
      views.set(keyId, own.set(view.name, view))
      return 'saved'
    },
    removeView: async (keyId, name) => of(keyId).delete(name),
    async removeViewsWith(texts) {
      const wanted = texts.map(lowerAscii)
      const isMeant = ({ name, query }: SavedView) =>
        wanted.some((text) => lowerAscii(query).includes(text) || lowerAscii(name).includes(text))
      let removed = 0
      for (const own of views.values()) {
        for (const view of own.values()) if (isMeant(view) && own.delete(view.name)) removed++
      }
      return removed
    },
  }
}
