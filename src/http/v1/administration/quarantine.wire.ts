/** /v1/admin/quarantine: records that could not be stored. */
import { formatSource } from '../../../events/ingest/quarantine-room.ts'
import type { QuarantinedRecord as StoredRecord } from '../../../events/ingest/quarantine-store.ts'
import { toIsoTime } from '../../../lib/clock.ts'
import * as t from '../../../lib/json-schema.ts'

export const QuarantineQuery = t.object({
  cursor: t.optional(t.count('`next` of the previous page.')),
  limit: t.pageSize(50, 200, 'Page size.'),
  whole: t.preset(
    t.flag('Whether to return payloads in full. Pages may then be shorter than `limit`.', { default: false }),
  ),
})

export const DroppedQuery = t.object({
  id: t.optional(t.list(t.integer(undefined, { minimum: 1 }), 'The records with these ids.', { maxItems: 1000 })),
  connector: t.optional(t.text('All records of this connector.', { minLength: 1 })),
  source: t.optional(t.text('All records of this source, as a listing shows it.', { minLength: 1 })),
  all: t.optional(t.flag('`true`: all records.')),
})

export const DroppedSchema = t.named('DroppedRecords', { dropped: t.count('Number of deleted records.') })
export type Dropped = t.Static<typeof DroppedSchema>

const SOURCE_TEXT =
  'Where it came from: `key` and the id of the API key, `smtp` and the client network, `local` (commands on the server), ' +
  '`server` (opens and clicks), or `earlier` (quarantined by a version that did not record sources).'

export const QuarantinedRecordSchema = t.named('QuarantinedRecord', {
  id: t.integer(),
  rejectedAt: t.time('When it was last rejected.'),
  times: t.integer('Number of times the same record was rejected.', { minimum: 1 }),
  connector: t.text('The connector that received it.'),
  source: t.text(SOURCE_TEXT),
  reason: t.text('Why it could not be stored.'),
  tenant: t.textOrNull(
    "Name of the tenant that the ingest key is bound to: to such a key, other tenants' domains are unknown. Null for an " +
      "operator's key.",
  ),
  payload: t.text('The record as received; bytes that are not valid UTF-8 are replaced.'),
  isCut: t.flag('Whether the payload was cut.'),
})
export type QuarantinedRecord = t.Static<typeof QuarantinedRecordSchema>

export const QuarantineSchema = t.named('Quarantine', {
  records: t.list(t.ref(QuarantinedRecordSchema), 'Oldest first.'),
  count: t.count('Records in quarantine.'),
  bytes: t.count('Bytes in quarantine, including 512 for each record. Records without a source are not counted.'),
  bytesMax: t.count(
    'Maximum size of the quarantine. A client network may use a sixteenth of it, all of them together a quarter, each key a quarter.',
  ),
  sources: t.list(
    t.object({ source: t.text(SOURCE_TEXT), records: t.count('Its records.'), bytes: t.count('Its bytes.') }),
    'The 20 sources that use the most, largest first.',
  ),
  next: t.textOrNull('Cursor for the next page; null on the last page.'),
})
export type Quarantine = t.Static<typeof QuarantineSchema>

export const ReplaySchema = t.named('Replay', 'Result of a replay.', {
  replayed: t.count('Number of replayed records.'),
  stored: t.count('Events that were added to the log.'),
  duplicates: t.count('Events that were stored before.'),
  rejected: t.count('Records that were rejected again; they have the current reason.'),
})
export type Replay = t.Static<typeof ReplaySchema>

/** Enough to see what is wrong with a record; the rest is often an attachment. */
const SHOWN_BYTES_MAX = 16 * 1024

export function toWireRecord(
  record: StoredRecord,
  tenantNames: ReadonlyMap<string, string>,
  isWhole: boolean,
): QuarantinedRecord {
  const { id, rejectedAtMs, times, connector, source, reason, payload, tenantId } = record
  return {
    id,
    rejectedAt: toIsoTime(rejectedAtMs),
    times,
    connector,
    source: formatSource(source),
    reason,
    tenant: tenantId === undefined ? null : (tenantNames.get(tenantId) ?? ''),
    payload: new TextDecoder('utf-8', { ignoreBOM: isWhole }).decode(
      isWhole ? payload : payload.subarray(0, SHOWN_BYTES_MAX),
    ),
    isCut: !isWhole && payload.length > SHOWN_BYTES_MAX,
  }
}
