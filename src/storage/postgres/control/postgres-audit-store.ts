/** The audit log in PostgreSQL. */
import type { AuditKind, NewAuditEntry } from '../../../audit/audit-entry.ts'
import { AUDIT_ENTRIES_MAX, AUDIT_SCAN_MAX, type AuditFilters, type AuditStore } from '../../../audit/audit-store.ts'
import { type AuditRow, toAuditEntry } from '../../rows/audit-row.ts'
import { lockedTransactions } from '../database/locked-transactions.ts'
import { LOCKS } from '../database/locks.ts'
import type { Postgres, Statements } from '../database/postgres.ts'

/** `isNew`: it is a row of its own, not added to another one. */
const INSERT = `
  INSERT INTO audit (kind, time_ms, last_time_ms, count, actor_type, actor_id, actor_name, address, action, object, outcome,
    status, request_id, sum)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
  ON CONFLICT (sum) DO UPDATE
  SET count = audit.count + excluded.count, last_time_ms = greatest(audit.last_time_ms, excluded.last_time_ms)
  RETURNING (xmax = 0)::int AS "isNew"`

const ADD_TO_SIZE = `
  INSERT INTO audit_size (kind, entries) VALUES ($1, $2)
  ON CONFLICT (kind) DO UPDATE SET entries = audit_size.entries + excluded.entries RETURNING entries`

const REMOVE_OLDEST = 'DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE kind = $1 ORDER BY id LIMIT $2)'

const REMOVE_OLD = `
  DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE last_time_ms < $1 ORDER BY last_time_ms LIMIT $2)
  RETURNING kind`

/** The smallest id that one call examines. */
const SELECT_END = 'SELECT id FROM audit WHERE id < $1 ORDER BY id DESC LIMIT 1 OFFSET $2'

const SELECT_PAGE = `
  SELECT id, kind, time_ms AS "timeMs", last_time_ms AS "lastTimeMs", count, actor_type AS "actorType",
    actor_id AS "actorId", actor_name AS "actorName", address, action, object, outcome, status, request_id AS "requestId"
  FROM audit
  WHERE id < $1 AND id >= $2 AND ($3::bigint IS NULL OR last_time_ms >= $3) AND ($4::bigint IS NULL OR time_ms < $4)
    AND ($5::text IS NULL OR kind = $5) AND ($6::text IS NULL OR actor_id = $6) AND ($7::text IS NULL OR action = $7)
    AND ($8::text IS NULL OR outcome = $8)
  ORDER BY id DESC LIMIT $9`

export function createAuditStore(
  db: Postgres,
  entriesMax: Readonly<Record<AuditKind, number>> = AUDIT_ENTRIES_MAX,
): AuditStore {
  const locked = lockedTransactions(db, LOCKS.audit)
  return {
    async add(entries) {
      if (entries.length === 0) return
      await locked(async (statements) => {
        const added = new Map<AuditKind, number>()
        for (const entry of entries) {
          const isNew = await insert(statements, entry)
          added.set(entry.kind, (added.get(entry.kind) ?? 0) + isNew)
        }
        for (const [kind, count] of added) await limit(statements, kind, count, entriesMax[kind])
      })
    },
    async list({ filters, beforeId = Number.MAX_SAFE_INTEGER, limit }) {
      const endId = (await db.get<{ id: number }>(SELECT_END, beforeId, AUDIT_SCAN_MAX - 1))?.id
      const rows = await db.all<AuditRow>(SELECT_PAGE, beforeId, endId ?? 0, ...toParameters(filters), limit + 1)
      const entries = rows.slice(0, limit).map(toAuditEntry)
      const nextBeforeId = rows.length > limit ? entries.at(-1)?.id : endId
      return { entries, ...(nextBeforeId !== undefined && { nextBeforeId }) }
    },
    async removeOlderThan(timeMs, limit) {
      return locked(async (statements) => {
        const removed = await statements.all<{ kind: AuditKind }>(REMOVE_OLD, timeMs, limit)
        for (const kind of new Set(removed.map((row) => row.kind))) {
          await statements.run(ADD_TO_SIZE, kind, -removed.filter((row) => row.kind === kind).length)
        }
        return removed.length
      })
    },
  }
}

/** Removes the oldest entries of a kind that has too many. */
async function limit(statements: Statements, kind: AuditKind, added: number, entriesMax: number): Promise<void> {
  const excess = (await statements.number(ADD_TO_SIZE, kind, added)) - entriesMax
  if (excess <= 0) return
  const removed = await statements.run(REMOVE_OLDEST, kind, excess)
  await statements.run(ADD_TO_SIZE, kind, -removed)
}

async function insert(statements: Statements, entry: NewAuditEntry): Promise<number> {
  const { kind, timeMs, lastTimeMs, count, actor, action, outcome, status, requestId } = entry
  const { object = null, sum = null } = entry
  const { type, id = null, name = null, address = null } = actor
  const values = [type, id, name, address, action, object, outcome, status, requestId, sum] as const
  return statements.number(INSERT, kind, timeMs, lastTimeMs, count, ...values)
}

function toParameters({ fromMs, toMs, kind, actor, action, outcome }: AuditFilters) {
  return [fromMs ?? null, toMs ?? null, kind ?? null, actor ?? null, action ?? null, outcome ?? null] as const
}
