/** Rejected records in SQLite. */
import {
  QUARANTINE_BYTES_DEFAULT,
  QUARANTINE_STEP,
  roomOf,
  sizeInQuarantine,
} from '../../../events/ingest/quarantine-room.ts'
import {
  contains,
  type QuarantineStore,
  type QuarantineUse,
  type RejectedRecord,
} from '../../../events/ingest/quarantine-store.ts'
import {
  fingerprintOf,
  isSelected,
  type RecordRow,
  type SourceColumns,
  sumBySource,
  takeWithin,
  toRecord,
  type UseRow,
} from '../../rows/quarantine-row.ts'
import type { Database } from '../database/database.ts'
import { isStorageFailure, storageUnavailable } from '../database/storage-failure.ts'

const UPSERT_RECORD = `
  INSERT INTO quarantine
    (fingerprint, connector, payload, reason, tenant_id, rejected_at_ms, times, source_kind, source, bytes)
  VALUES (?, ?, ?, ?, ?, ?, 1, ?, ?, ?)
  ON CONFLICT (fingerprint) DO UPDATE
  SET reason = excluded.reason, rejected_at_ms = excluded.rejected_at_ms, times = times + 1`

/** The size of a payload is in its row's header: large ones are not read for it. */
const SELECT_SIZES = 'SELECT id, length(payload) AS bytes FROM quarantine WHERE id > ? ORDER BY id LIMIT ?'

const SELECT_PAGE = `
  SELECT id, connector, source_kind AS sourceKind, source, payload, reason, rejected_at_ms AS rejectedAtMs, times,
    tenant_id AS tenantId
  FROM quarantine WHERE id > ? AND id <= ? ORDER BY id`

const SELECT_NEXT = `
  SELECT id, length(payload) AS bytes, connector, source_kind AS sourceKind, source, tenant_id AS tenantId
  FROM quarantine WHERE id > ? ORDER BY id LIMIT ?`

const SELECT_OLDER = `
  SELECT id, length(payload) AS bytes FROM quarantine WHERE rejected_at_ms < ? ORDER BY rejected_at_ms LIMIT ?`

const SELECT_USE = 'SELECT records, bytes FROM quarantine_use WHERE source_kind = ? AND source = ?'

const SELECT_LARGEST = `
  SELECT source_kind AS sourceKind, source, records, bytes FROM quarantine_use
  WHERE source <> '*' ORDER BY bytes DESC LIMIT ?`

type SizeRow = { readonly id: number; readonly bytes: number }

/** `add` takes the room as a third argument: the stores of the writing thread know no configuration. */
export interface SqliteQuarantineStore extends Omit<QuarantineStore, 'bytesMax' | 'add'> {
  add(records: readonly RejectedRecord[], nowMs: number, bytesMax?: number): Promise<boolean>
}

export function createQuarantineStore(db: Database): SqliteQuarantineStore {
  const readUse = (kind: string, name: string): QuarantineUse =>
    db.get<UseRow>(SELECT_USE, kind, name) ?? { records: 0, bytes: 0 }
  const removeRows = (ids: readonly number[]) =>
    ids.reduce((removed, id) => removed + db.run('DELETE FROM quarantine WHERE id = ?', id).changes, 0)

  /** The payload is read only for this. */
  const hasText = (id: number, text: string | undefined): boolean => {
    if (text === undefined) return true
    const row = db.get<{ payload: Uint8Array; reason: string }>(
      'SELECT payload, reason FROM quarantine WHERE id = ?',
      id,
    )
    return row !== undefined && contains(row, text)
  }

  /** Whether the records that are new fit, each into the room of its source. */
  function hasRoom(records: readonly (RejectedRecord & { readonly fingerprint: Uint8Array })[], bytesMax: number) {
    const isNew = ({ fingerprint }: { readonly fingerprint: Uint8Array }) =>
      db.number('SELECT count(*) FROM quarantine WHERE fingerprint = ?', fingerprint) === 0
    return sumBySource(records.filter(isNew)).every(({ source, bytes }) => {
      const room = roomOf(source.kind, bytesMax)
      return (
        readUse(source.kind, source.name).bytes + bytes <= room.source &&
        readUse(source.kind, '*').bytes + bytes <= room.kind &&
        readUse('*', '*').bytes + bytes <= room.all
      )
    })
  }

  return {
    async add(records, nowMs, bytesMax = QUARANTINE_BYTES_DEFAULT) {
      if (records.length === 0) return true
      const marked = records.map((record) => ({ ...record, fingerprint: fingerprintOf(record) }))
      try {
        return db.transaction(() => {
          if (!hasRoom(marked, bytesMax)) return false
          for (const { fingerprint, connector, payload, reason, source, tenantId = null, ...rest } of marked) {
            const bytes = sizeInQuarantine({ payload, ...rest })
            const { kind, name } = source
            db.run(UPSERT_RECORD, fingerprint, connector, payload, reason, tenantId, nowMs, kind, name, bytes)
          }
          return true
        })
      } catch (error) {
        // Part of ingest: after a storage failure the sender retries.
        throw isStorageFailure(error) ? storageUnavailable(error) : error
      }
    },
    async list({ afterId, limit }) {
      const sizes = db.all<SizeRow>(SELECT_SIZES, afterId, limit)
      const last = takeWithin(sizes, QUARANTINE_STEP.pageBytes).at(-1)
      if (!last) return []
      return db.all<RecordRow>(SELECT_PAGE, afterId, last.id).map(toRecord)
    },
    count: async () => readUse('*', '*').records,
    async usage(limit) {
      const sources = db.all<SourceColumns & UseRow>(SELECT_LARGEST, limit)
      const { records, bytes } = readUse('*', '*')
      return {
        records,
        bytes,
        sources: sources.map(({ sourceKind, source, ...use }) => ({
          ...use,
          source: { kind: sourceKind, name: source },
        })),
      }
    },
    remove: async (ids) => db.transaction(() => removeRows(ids)),
    async removeNext(filter, afterId) {
      const rows = db.all<SizeRow & SourceColumns & { connector: string; tenantId: string | null }>(
        SELECT_NEXT,
        afterId,
        QUARANTINE_STEP.removedRows,
      )
      const examined = takeWithin(
        rows.map((row) => ({ ...row, bytes: isSelected(row, filter) ? row.bytes : 0 })),
        QUARANTINE_STEP.removedBytes,
      )
      const removed = db.transaction(() =>
        removeRows(
          examined.filter((row) => isSelected(row, filter) && hasText(row.id, filter.text)).map(({ id }) => id),
        ),
      )
      const last = examined.at(-1)
      return { removed, ...(last && { next: last.id }) }
    },
    async removeOlderThan(timeMs) {
      const rows = db.all<SizeRow>(SELECT_OLDER, timeMs, QUARANTINE_STEP.removedRows)
      const ids = takeWithin(rows, QUARANTINE_STEP.removedBytes).map(({ id }) => id)
      return db.transaction(() => removeRows(ids))
    },
  }
}
