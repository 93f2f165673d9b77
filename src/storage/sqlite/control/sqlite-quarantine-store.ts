/** Rejected records in SQLite. */
import { createHash } from 'node:crypto'
import type { QuarantinedRecord, QuarantineStore, RejectedRecord } from '../../../events/ingest/quarantine-store.ts'
import type { Database } from '../database/database.ts'
import { isStorageFailure, storageUnavailable } from '../database/storage-failure.ts'

type QuarantineRow = {
  id: number
  connector: string
  payload: Uint8Array
  reason: string
  rejected_at_ms: number
  times: number
}

const UPSERT_RECORD = `
  INSERT INTO quarantine (fingerprint, connector, payload, reason, rejected_at_ms, times)
  VALUES (?, ?, ?, ?, ?, 1)
  ON CONFLICT (fingerprint) DO UPDATE
  SET reason = excluded.reason, rejected_at_ms = excluded.rejected_at_ms, times = times + 1`

const SELECT_PAGE = `
  SELECT id, connector, payload, reason, rejected_at_ms, times
  FROM quarantine WHERE id > ? ORDER BY id LIMIT ?`

export class SqliteQuarantineStore implements QuarantineStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  async add(records: readonly RejectedRecord[], nowMs: number): Promise<void> {
    if (records.length === 0) return
    try {
      this.#db.transaction(() => {
        for (const record of records) {
          this.#db.run(UPSERT_RECORD, fingerprint(record), record.connector, record.payload, record.reason, nowMs)
        }
      })
    } catch (error) {
      // Part of ingest, whose senders retry.
      throw isStorageFailure(error) ? storageUnavailable(error) : error
    }
  }

  async list(options: { afterId: number; limit: number }): Promise<readonly QuarantinedRecord[]> {
    return this.#db.all<QuarantineRow>(SELECT_PAGE, options.afterId, options.limit).map(toRecord)
  }

  async count(connector?: string): Promise<number> {
    const sql = 'SELECT count(*) AS count FROM quarantine WHERE ?1 IS NULL OR connector = ?1'
    return this.#db.get<{ count: number }>(sql, connector ?? null)?.count ?? 0
  }

  async removeAll(connector?: string): Promise<number> {
    return this.#db.run('DELETE FROM quarantine WHERE ?1 IS NULL OR connector = ?1', connector ?? null).changes
  }

  async remove(ids: readonly number[]): Promise<void> {
    this.#db.transaction(() => {
      for (const id of ids) this.#db.run('DELETE FROM quarantine WHERE id = ?', id)
    })
  }

  async removeOlderThan(timeMs: number): Promise<number> {
    return this.#db.run('DELETE FROM quarantine WHERE rejected_at_ms < ?', timeMs).changes
  }
}

/** A JSON string marks its own end: no two records have the same hashed bytes. */
function fingerprint(record: RejectedRecord): Uint8Array {
  return createHash('sha256').update(JSON.stringify(record.connector)).update(record.payload).digest()
}

function toRecord(row: QuarantineRow): QuarantinedRecord {
  return {
    id: row.id,
    connector: row.connector,
    payload: row.payload,
    reason: row.reason,
    rejectedAtMs: row.rejected_at_ms,
    times: row.times,
  }
}
