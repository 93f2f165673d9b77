/** Rejected records in SQLite. */
import { createHash } from 'node:crypto'
import type { QuarantinedRecord, QuarantineStore, RejectedRecord } from '../../../events/ingest/quarantine-store.ts'
import type { Database } from '../database/database.ts'
import { isStorageFailure, storageUnavailable } from '../database/storage-failure.ts'

const UPSERT_RECORD = `
  INSERT INTO quarantine (fingerprint, connector, payload, reason, rejected_at_ms, times)
  VALUES (?, ?, ?, ?, ?, 1)
  ON CONFLICT (fingerprint) DO UPDATE
  SET reason = excluded.reason, rejected_at_ms = excluded.rejected_at_ms, times = times + 1`

const SELECT_PAGE = `
  SELECT id, connector, payload, reason, rejected_at_ms AS rejectedAtMs, times
  FROM quarantine WHERE id > ? ORDER BY id LIMIT ?`

const OF_CONNECTOR = 'FROM quarantine WHERE ?1 IS NULL OR connector = ?1'

export function createQuarantineStore(db: Database): QuarantineStore {
  return {
    async add(records, nowMs) {
      if (records.length === 0) return
      try {
        db.transaction(() => {
          for (const record of records) {
            db.run(UPSERT_RECORD, fingerprint(record), record.connector, record.payload, record.reason, nowMs)
          }
        })
      } catch (error) {
        // Part of ingest: after a storage failure the sender retries.
        throw isStorageFailure(error) ? storageUnavailable(error) : error
      }
    },
    list: async ({ afterId, limit }) =>
      db.all<Pick<QuarantinedRecord, keyof QuarantinedRecord>>(SELECT_PAGE, afterId, limit).map((row) => ({ ...row })),
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

/** A JSON string marks its own end: no two records have the same hashed bytes. */
function fingerprint(record: RejectedRecord): Uint8Array {
  return createHash('sha256').update(JSON.stringify(record.connector)).update(record.payload).digest()
}
