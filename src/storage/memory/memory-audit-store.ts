/** The audit log in an array. */
import type { AuditEntry, AuditKind } from '../../audit/audit-entry.ts'
import { AUDIT_ENTRIES_MAX, AUDIT_SCAN_MAX, type AuditFilters, type AuditStore } from '../../audit/audit-store.ts'
import type { MemoryState } from './memory-state.ts'

export function createMemoryAuditStore(
  state: Pick<MemoryState, 'audit' | 'lastAuditId'>,
  entriesMax: Readonly<Record<AuditKind, number>> = AUDIT_ENTRIES_MAX,
): AuditStore {
  return {
    async add(entries) {
      for (const entry of entries) {
        const known = entry.sum === undefined ? undefined : state.audit.find(({ sum }) => sum === entry.sum)
        if (known) {
          known.count += entry.count
          known.lastTimeMs = Math.max(known.lastTimeMs, entry.lastTimeMs)
        } else state.audit.push({ ...entry, id: ++state.lastAuditId })
      }
      for (const kind of new Set(entries.map((entry) => entry.kind))) {
        const ids = state.audit.filter((entry) => entry.kind === kind).map(({ id }) => id)
        const firstKept = ids.at(-entriesMax[kind]) ?? 0
        state.audit = state.audit.filter((entry) => entry.kind !== kind || entry.id >= firstKept)
      }
    },
    async list({ filters, beforeId = Number.MAX_SAFE_INTEGER, limit }) {
      const examined = state.audit
        .filter(({ id }) => id < beforeId)
        .toReversed()
        .slice(0, AUDIT_SCAN_MAX)
      const matching = examined.filter((entry) => matches(entry, filters))
      const entries = matching.slice(0, limit).map(toEntry)
      const isCut = examined.length === AUDIT_SCAN_MAX
      const nextBeforeId = matching.length > limit ? entries.at(-1)?.id : isCut ? examined.at(-1)?.id : undefined
      return { entries, ...(nextBeforeId !== undefined && { nextBeforeId }) }
    },
    async removeOlderThan(timeMs, limit) {
      const old = state.audit.filter(({ lastTimeMs }) => lastTimeMs < timeMs)
      const removed = new Set(old.sort((a, b) => a.lastTimeMs - b.lastTimeMs).slice(0, limit))
      state.audit = state.audit.filter((entry) => !removed.has(entry))
      return removed.size
    },
  }
}

function toEntry(stored: MemoryState['audit'][number]): AuditEntry {
  const { sum: _, ...entry } = stored
  return entry
}

function matches(entry: AuditEntry, { fromMs, toMs, kind, actor, action, outcome }: AuditFilters): boolean {
  return (
    (fromMs === undefined || entry.lastTimeMs >= fromMs) &&
    (toMs === undefined || entry.timeMs < toMs) &&
    (kind === undefined || entry.kind === kind) &&
    (actor === undefined || entry.actor.id === actor) &&
    (action === undefined || entry.action === action) &&
    (outcome === undefined || entry.outcome === outcome)
  )
}
