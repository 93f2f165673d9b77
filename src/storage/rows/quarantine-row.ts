/** How the table `quarantine` of an SQL engine is read, and what its rows mean for the room of their sources. */
import { createHash } from 'node:crypto'
import { type Source, type SourceKind, sizeInQuarantine } from '../../events/ingest/quarantine-room.ts'
import type {
  QuarantinedRecord,
  QuarantineFilter,
  QuarantineUse,
  RejectedRecord,
} from '../../events/ingest/quarantine-store.ts'

export type SourceColumns = { readonly sourceKind: SourceKind; readonly source: string }
export type RecordRow = Omit<QuarantinedRecord, 'source' | 'tenantId'> &
  SourceColumns & { readonly tenantId: string | null }
export type UseRow = Pick<QuarantineUse, keyof QuarantineUse>

export function toRecord({ sourceKind, source, tenantId, ...row }: RecordRow): QuarantinedRecord {
  return { ...row, source: { kind: sourceKind, name: source }, ...(tenantId !== null && { tenantId }) }
}

/** The bytes that the records would add to each source. */
export function sumBySource(
  records: readonly RejectedRecord[],
): readonly { readonly source: Source; readonly bytes: number }[] {
  const sums = new Map<string, { readonly source: Source; bytes: number }>()
  for (const record of records) {
    const { source } = record
    const key = `${source.kind} ${source.name}`
    const sum = sums.get(key) ?? { source, bytes: 0 }
    sum.bytes += sizeInQuarantine(record)
    sums.set(key, sum)
  }
  return [...sums.values()]
}

/** As many as fit, but at least one. */
export function takeWithin<Row extends { readonly bytes: number }>(
  rows: readonly Row[],
  bytesMax: number,
): readonly Row[] {
  let bytes = 0
  const end = rows.findIndex((row, index) => {
    bytes += row.bytes
    return index > 0 && bytes > bytesMax
  })
  return end === -1 ? rows : rows.slice(0, end)
}

export function isSelected(
  row: SourceColumns & { readonly connector: string; readonly tenantId: string | null },
  { connector, source, tenantId }: QuarantineFilter,
) {
  if (connector !== undefined && row.connector !== connector) return false
  const isOfTenant = row.tenantId === tenantId || (row.sourceKind === 'tenant' && row.source === tenantId)
  if (tenantId !== undefined && !isOfTenant) return false
  return source === undefined || (row.sourceKind === source.kind && row.source === source.name)
}

/** A JSON string marks its own end: no two records have the same hashed bytes. */
export function fingerprintOf({ connector, payload, tenantId }: RejectedRecord): Uint8Array {
  const owner = tenantId === undefined ? connector : [connector, tenantId]
  return createHash('sha256').update(JSON.stringify(owner)).update(payload).digest()
}
