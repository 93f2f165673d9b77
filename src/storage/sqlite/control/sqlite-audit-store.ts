/** The audit log in SQLite. */
import type { AuditKind, NewAuditEntry } from '../../../audit/audit-entry.ts'
import { AUDIT_ENTRIES_MAX, AUDIT_SCAN_MAX, type AuditFilters, type AuditStore } from '../../../audit/audit-store.ts'
import { type AuditRow, toAuditEntry } from '../../rows/audit-row.ts'
import type { Database } from '../database/database.ts'

const INSERT = `
  INSERT INTO audit (kind, time_ms, last_time_ms, count, actor_type, actor_id, actor_name, address, action, object, outcome,
    status, request_id, sum)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (sum) DO UPDATE
  SET count = count + excluded.count, last_time_ms = max(last_time_ms, excluded.last_time_ms)`

/** By the size that the triggers maintain. */
const REMOVE_EXCESS = `
  DELETE FROM audit WHERE id IN (
    SELECT id FROM audit WHERE kind = ?1 ORDER BY id
    LIMIT max(0, coalesce((SELECT entries FROM audit_size WHERE kind = ?1), 0) - ?2))`

const REMOVE_OLD =
  'DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE last_time_ms < ? ORDER BY last_time_ms LIMIT ?)'

/** The smallest id that one call examines. */
const SELECT_END = 'SELECT id FROM audit WHERE id < ? ORDER BY id DESC LIMIT 1 OFFSET ?'

const SELECT_PAGE = `
  SELECT id, kind, time_ms AS timeMs, last_time_ms AS lastTimeMs, count, actor_type AS actorType, actor_id AS actorId,
    actor_name AS actorName, address, action, object, outcome, status, request_id AS requestId
  FROM audit
  WHERE id < ?1 AND id >= ?2 AND (?3 IS NULL OR last_time_ms >= ?3) AND (?4 IS NULL OR time_ms < ?4)
    AND (?5 IS NULL OR kind = ?5) AND (?6 IS NULL OR actor_id = ?6) AND (?7 IS NULL OR action = ?7)
    AND (?8 IS NULL OR outcome = ?8)
  ORDER BY id DESC LIMIT ?9`

export function createAuditStore(
  db: Database,
  entriesMax: Readonly<Record<AuditKind, number>> = AUDIT_ENTRIES_MAX,
): AuditStore {
  return {
    async add(entries) {
      db.transaction(() => {
        for (const entry of entries) insert(db, entry)
        for (const kind of new Set(entries.map((entry) => entry.kind))) db.run(REMOVE_EXCESS, kind, entriesMax[kind])
      })
    },
    async list({ filters, beforeId = Number.MAX_SAFE_INTEGER, limit }) {
      const endId = db.get<{ id: number }>(SELECT_END, beforeId, AUDIT_SCAN_MAX - 1)?.id
      const rows = db.all<AuditRow>(SELECT_PAGE, beforeId, endId ?? 0, ...toParameters(filters), limit + 1)
      const entries = rows.slice(0, limit).map(toAuditEntry)
      const nextBeforeId = rows.length > limit ? entries.at(-1)?.id : endId
      return { entries, ...(nextBeforeId !== undefined && { nextBeforeId }) }
    },
    removeOlderThan: async (timeMs, limit) => db.run(REMOVE_OLD, timeMs, limit).changes,
  }
}

function insert(db: Database, entry: NewAuditEntry): void {
  const {
    kind,
    timeMs,
    lastTimeMs,
    count,
    actor,
    action,
    object = null,
    outcome,
    status,
    requestId,
    sum = null,
  } = entry
  const { type, id = null, name = null, address = null } = actor
  const values = [type, id, name, address, action, object, outcome, status, requestId, sum] as const
  db.run(INSERT, kind, timeMs, lastTimeMs, count, ...values)
}

function toParameters({ fromMs, toMs, kind, actor, action, outcome }: AuditFilters) {
  return [fromMs ?? null, toMs ?? null, kind ?? null, actor ?? null, action ?? null, outcome ?? null] as const
}
