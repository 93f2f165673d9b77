/** Rejected records in SQLite. */
import { createHash } from 'node:crypto'
import type { QuarantinedRecord, QuarantineStore, RejectedRecord } from '../../../events/ingest/quarantine-store.ts'
import type { Database } from '../database/database.ts'
import { isStorageFailure, storageUnavailable } from '../database/storage-failure.ts'

const UPSERT_RECORD = `
  INSERT INTO quarantine (fingerprint, connector, payload, reason, tenant_id, rejected_at_ms, times)
  VALUES (?, ?, ?, ?, ?, ?, 1)
  ON CONFLICT (fingerprint) DO UPDATE
  SET reason = excluded.reason, rejected_at_ms = excluded.rejected_at_ms, times = times + 1`

const SELECT_PAGE = `
  SELECT id, connector, payload, reason, rejected_at_ms AS rejectedAtMs, times, tenant_id AS tenantId
  FROM quarantine WHERE id > ? ORDER BY id LIMIT ?`

const OF_CONNECTOR = 'FROM quarantine WHERE ?1 IS NULL OR connector = ?1'

type QuarantineRow = Pick<QuarantinedRecord, Exclude<keyof QuarantinedRecord, 'tenantId'>> & { tenantId: string | null }

export function createQuarantineStore(db: Database): QuarantineStore {
  return {
    async add(records, nowMs) {
      if (records.length === 0) return
      try {
        db.transaction(() => {
          for (const record of records) {
            const { connector, payload, reason, tenantId = null } = record
            db.run(UPSERT_RECORD, fingerprint(record), connector, payload, reason, tenantId, nowMs)
          }
        })
      } catch (error) {
        // Part of ingest: after a storage failure the sender retries.
        throw isStorageFailure(error) ? storageUnavailable(error) : error
      }
    },
    list: async ({ afterId, limit }) => db.all<QuarantineRow>(SELECT_PAGE, afterId, limit).map(toRecord),
    count: async (connector) => db.number(`SELECT count(*) ${OF_CONNECTOR}`, connector ?? null),
    removeAll: async (connector) => db.run(`DELETE ${OF_CONNECTOR}`, connector ?? null).changes,
    async remove(ids) {
      db.transaction(() => {
        for (const id of ids) db.run('DELETE FROM quarantine WHERE id = ?', id)
      })
    },
    removeOlderThan: async (timeMs) => db.run('DELETE FROM quarantine WHERE rejected_at_ms < ?', timeMs).changes,
  }
}

function toRecord({ tenantId, ...row }: QuarantineRow): QuarantinedRecord {
  return { ...row, ...(tenantId !== null && { tenantId }) }
}

/** A JSON string marks its own end: no two records have the same hashed bytes. */
function fingerprint({ connector, payload, tenantId }: RejectedRecord): Uint8Array {
  const source = tenantId === undefined ? connector : [connector, tenantId]
  return createHash('sha256').update(JSON.stringify(source)).update(payload).digest()
}
