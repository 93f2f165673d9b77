/** /v1/admin/quarantine: records that could not be stored. */
import { type Static, Type } from 'typebox'
import type { QuarantinedRecord as StoredRecord } from '../../../events/ingest/quarantine-store.ts'
import { toIsoTime } from '../../../lib/clock.ts'
import { count, named, ref, textOrNull, time } from '../schema.wire.ts'

export const QUARANTINE_LIMIT_DEFAULT = 50
export const QUARANTINE_LIMIT_MAX = 200

export const QuarantineQuery = Type.Object({
  cursor: Type.Optional(Type.Integer({ minimum: 0, description: '`next` of the previous page.' })),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      default: QUARANTINE_LIMIT_DEFAULT,
      'x-counts-at-most': QUARANTINE_LIMIT_MAX,
      description: 'Page size.',
    }),
  ),
  whole: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Whether to return payloads in full. Pages may then be shorter than `limit`.',
    }),
  ),
})

export const DroppedQuery = Type.Object({
  id: Type.Optional(
    Type.Array(Type.Integer({ minimum: 1 }), { maxItems: 1000, description: 'The records with these ids.' }),
  ),
  connector: Type.Optional(Type.String({ minLength: 1, description: 'All records of this connector.' })),
  all: Type.Optional(Type.Boolean({ description: '`true`: all records.' })),
})

export const DroppedSchema = named('DroppedRecords', Type.Object({ dropped: count('Number of deleted records.') }))
export type Dropped = Static<typeof DroppedSchema>

export const QuarantinedRecordSchema = named(
  'QuarantinedRecord',
  Type.Object({
    id: Type.Integer(),
    rejectedAt: time('When it was last rejected.'),
    times: Type.Integer({ minimum: 1, description: 'Number of times the same record was rejected.' }),
    connector: Type.String({ description: 'The connector that received it.' }),
    reason: Type.String({ description: 'Why it could not be stored.' }),
    payload: Type.String({ description: 'The record as received; bytes that are not valid UTF-8 are replaced.' }),
    isCut: Type.Boolean({ description: 'Whether the payload was cut.' }),
  }),
)
export type QuarantinedRecord = Static<typeof QuarantinedRecordSchema>

export const QuarantineSchema = named(
  'Quarantine',
  Type.Object({
    records: Type.Array(ref(QuarantinedRecordSchema), { description: 'Oldest first.' }),
    count: count('Records in quarantine.'),
    next: textOrNull('Cursor for the next page; null on the last page.'),
  }),
)
export type Quarantine = Static<typeof QuarantineSchema>

export const ReplaySchema = named(
  'Replay',
  Type.Object(
    {
      replayed: count('Number of replayed records.'),
      stored: count('Events that were added to the log.'),
      duplicates: count('Events that were stored before.'),
      rejected: count('Records that were rejected again; they have the current reason.'),
    },
    { description: 'Result of a replay.' },
  ),
)
export type Replay = Static<typeof ReplaySchema>

/** Enough to see what is wrong with a record; the rest is often an attachment. */
const SHOWN_BYTES_MAX = 16 * 1024

export function toWireRecord(record: StoredRecord, isWhole = false): QuarantinedRecord {
  const { id, rejectedAtMs, times, connector, reason, payload } = record
  return {
    id,
    rejectedAt: toIsoTime(rejectedAtMs),
    times,
    connector,
    reason,
    payload: new TextDecoder('utf-8', { ignoreBOM: isWhole }).decode(
      isWhole ? payload : payload.subarray(0, SHOWN_BYTES_MAX),
    ),
    isCut: !isWhole && payload.length > SHOWN_BYTES_MAX,
  }
}
