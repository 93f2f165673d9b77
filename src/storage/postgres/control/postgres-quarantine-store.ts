/** Rejected records in PostgreSQL. */
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
import { lockedTransactions } from '../database/locked-transactions.ts'
import { LOCKS } from '../database/locks.ts'
import type { Postgres, Statements } from '../database/postgres.ts'

/** Many in one statement: all servers wait for it. */
const UPSERT_RECORDS = `
  INSERT INTO quarantine
    (fingerprint, connector, payload, reason, tenant_id, rejected_at_ms, times, source_kind, source, bytes)
  SELECT fingerprint, connector, payload, reason, tenant_id, $1, times, source_kind, source, bytes
  FROM unnest($2::bytea[], $3::text[], $4::bytea[], $5::text[], $6::text[], $7::bigint[], $8::text[], $9::text[], $10::bigint[])
    WITH ORDINALITY AS
      record (fingerprint, connector, payload, reason, tenant_id, times, source_kind, source, bytes, place)
  ORDER BY place
  ON CONFLICT (fingerprint) DO UPDATE
  SET reason = excluded.reason, rejected_at_ms = excluded.rejected_at_ms, times = quarantine.times + excluded.times`

/** Of a source, of its kind, and of all. */
const ADD_TO_USE = `
  INSERT INTO quarantine_use
  SELECT kind, source, sum(sign), sum(sign * bytes)
  FROM unnest($2::text[], $3::text[], $4::bigint[]) AS record (source_kind, name, bytes),
    LATERAL (VALUES (source_kind, name, $1::int), (source_kind, '*', $1::int), ('*', '*', $1::int)) AS sums (kind, source, sign)
  GROUP BY kind, source
  ON CONFLICT (source_kind, source) DO UPDATE
  SET records = quarantine_use.records + excluded.records, bytes = quarantine_use.bytes + excluded.bytes`

const DELETE_ROWS = `
  DELETE FROM quarantine WHERE id = ANY ($1) RETURNING source_kind AS "sourceKind", source, bytes`

const SELECT_SIZES = 'SELECT id, length(payload) AS bytes FROM quarantine WHERE id > $1 ORDER BY id LIMIT $2'

const SELECT_PAGE = `
  SELECT id, connector, source_kind AS "sourceKind", source, payload, reason, rejected_at_ms AS "rejectedAtMs", times,
    tenant_id AS "tenantId"
  FROM quarantine WHERE id > $1 AND id <= $2 ORDER BY id`

const SELECT_NEXT = `
  SELECT id, length(payload) AS bytes, connector, source_kind AS "sourceKind", source, tenant_id AS "tenantId"
  FROM quarantine WHERE id > $1 ORDER BY id LIMIT $2`

const SELECT_OLDER = `
  SELECT id, length(payload) AS bytes FROM quarantine WHERE rejected_at_ms < $1 ORDER BY rejected_at_ms LIMIT $2`

const SELECT_USE = 'SELECT records, bytes FROM quarantine_use WHERE source_kind = $1 AND source = $2'

const SELECT_LARGEST = `
  SELECT source_kind AS "sourceKind", source, records, bytes FROM quarantine_use
  WHERE source <> '*' ORDER BY bytes DESC LIMIT $1`

type SizeRow = { readonly id: number; readonly bytes: number }
type NextRow = SizeRow & SourceColumns & { readonly connector: string; readonly tenantId: string | null }
type MarkedRecord = RejectedRecord & {
  readonly fingerprint: Uint8Array
  readonly times: number
  readonly bytes: number
}

/** Payloads of one statement. */
const STATEMENT_BYTES = 1 << 20

export function createQuarantineStore(db: Postgres, bytesMax = QUARANTINE_BYTES_DEFAULT): QuarantineStore {
  /** The sums are exact. */
  const locked = lockedTransactions(db, LOCKS.quarantine)
  return {
    bytesMax,
    async add(records, nowMs) {
      if (records.length === 0) return true
      const marked = markRecords(records)
      return locked(async (statements) => {
        const added = await findNew(statements, marked)
        if (!(await hasRoom(statements, added, bytesMax))) return false
        for (let rest = marked; rest.length > 0; ) {
          const part = takeWithin(rest, STATEMENT_BYTES)
          await insert(statements, part, nowMs)
          rest = rest.slice(part.length)
        }
        await addToUse(statements, 1, added)
        return true
      })
    },
    async list({ afterId, limit }) {
      const sizes = await db.all<SizeRow>(SELECT_SIZES, afterId, limit)
      const last = takeWithin(sizes, QUARANTINE_STEP.pageBytes).at(-1)
      return last ? (await db.all<RecordRow>(SELECT_PAGE, afterId, last.id)).map(toRecord) : []
    },
    count: async () => (await readUse(db, '*', '*')).records,
    async usage(limit) {
      const sources = await db.all<SourceColumns & UseRow>(SELECT_LARGEST, limit)
      const { records, bytes } = await readUse(db, '*', '*')
      return {
        records,
        bytes,
        sources: sources.map(({ sourceKind, source, ...use }) => ({
          ...use,
          source: { kind: sourceKind, name: source },
        })),
      }
    },
    remove: (ids) => locked((statements) => removeRows(statements, ids)),
    async removeNext(filter, afterId) {
      return locked(async (statements) => {
        const rows = await statements.all<NextRow>(SELECT_NEXT, afterId, QUARANTINE_STEP.removedRows)
        const examined = takeWithin(
          rows.map((row) => ({ ...row, bytes: isSelected(row, filter) ? row.bytes : 0 })),
          QUARANTINE_STEP.removedBytes,
        )
        const ids: number[] = []
        for (const row of examined) {
          if (isSelected(row, filter) && (await hasText(statements, row.id, filter.text))) ids.push(row.id)
        }
        const last = examined.at(-1)
        return { removed: await removeRows(statements, ids), ...(last && { next: last.id }) }
      })
    },
    async removeOlderThan(timeMs) {
      return locked(async (statements) => {
        const rows = await statements.all<SizeRow>(SELECT_OLDER, timeMs, QUARANTINE_STEP.removedRows)
        return removeRows(
          statements,
          takeWithin(rows, QUARANTINE_STEP.removedBytes).map(({ id }) => id),
        )
      })
    },
  }
}

/** Records that occur more than once are one, with the newest reason. */
function markRecords(records: readonly RejectedRecord[]): readonly MarkedRecord[] {
  const marked = new Map<string, MarkedRecord>()
  for (const record of records) {
    const fingerprint = fingerprintOf(record)
    const key = Buffer.from(fingerprint).toString('hex')
    const times = (marked.get(key)?.times ?? 0) + 1
    marked.set(key, { ...record, fingerprint, times, bytes: sizeInQuarantine(record) })
  }
  return [...marked.values()]
}

async function findNew(statements: Statements, records: readonly MarkedRecord[]): Promise<readonly MarkedRecord[]> {
  const rows = await statements.all<{ fingerprint: string }>(
    `SELECT encode(fingerprint, 'hex') AS fingerprint FROM quarantine WHERE fingerprint = ANY ($1::bytea[])`,
    records.map(({ fingerprint }) => fingerprint),
  )
  const known = new Set(rows.map(({ fingerprint }) => fingerprint))
  return records.filter(({ fingerprint }) => !known.has(Buffer.from(fingerprint).toString('hex')))
}

/** Whether new records fit, each into the room of its source. */
async function hasRoom(statements: Statements, added: readonly MarkedRecord[], bytesMax: number): Promise<boolean> {
  for (const { source, bytes } of sumBySource(added)) {
    const room = roomOf(source.kind, bytesMax)
    if ((await readUse(statements, source.kind, source.name)).bytes + bytes > room.source) return false
    if ((await readUse(statements, source.kind, '*')).bytes + bytes > room.kind) return false
    if ((await readUse(statements, '*', '*')).bytes + bytes > room.all) return false
  }
  return true
}

function insert(statements: Statements, records: readonly MarkedRecord[], nowMs: number): Promise<unknown> {
  const column = <T>(of: (record: MarkedRecord) => T) => records.map(of)
  return statements.run(
    UPSERT_RECORDS,
    nowMs,
    column(({ fingerprint }) => fingerprint),
    column(({ connector }) => connector),
    column(({ payload }) => payload),
    column(({ reason }) => reason),
    column(({ tenantId = null }) => tenantId),
    column(({ times }) => times),
    column(({ source }) => source.kind),
    column(({ source }) => source.name),
    column(({ bytes }) => bytes),
  )
}

/** `sign`: 1 for records that were added, -1 for those that were removed. */
async function addToUse(
  statements: Statements,
  sign: 1 | -1,
  records: readonly { readonly source: MarkedRecord['source']; readonly bytes: number }[],
): Promise<void> {
  const [kinds, names] = [records.map(({ source }) => source.kind), records.map(({ source }) => source.name)]
  const sizes = records.map(({ bytes }) => bytes)
  if (records.length > 0) await statements.run(ADD_TO_USE, sign, kinds, names, sizes)
}

async function removeRows(statements: Statements, ids: readonly number[]): Promise<number> {
  const removed = await statements.all<SourceColumns & { readonly bytes: number }>(DELETE_ROWS, ids)
  const records = removed.map(({ sourceKind, source, bytes }) => ({
    source: { kind: sourceKind, name: source },
    bytes,
  }))
  await addToUse(statements, -1, records)
  if (removed.length > 0) await statements.run('DELETE FROM quarantine_use WHERE records <= 0')
  return removed.length
}

async function readUse(statements: Statements, kind: string, name: string): Promise<QuarantineUse> {
  return (await statements.get<UseRow>(SELECT_USE, kind, name)) ?? { records: 0, bytes: 0 }
}

/** The payload is read only for this. */
async function hasText(statements: Statements, id: number, text: string | undefined): Promise<boolean> {
  if (text === undefined) return true
  const row = await statements.get<{ payload: Uint8Array; reason: string }>(
    'SELECT payload, reason FROM quarantine WHERE id = $1',
    id,
  )
  return row !== undefined && contains(row, text)
}
