/** /v1/admin/quarantine: records that could not become events. */
import { type Static, Type } from 'typebox'
import type { QuarantinedRecord as StoredRecord } from '../../../events/ingest/quarantine-store.ts'
import { toIsoTime } from '../../../lib/clock.ts'
import { count, named, ref, textOrNull, time } from '../schema.wire.ts'

export const QUARANTINE_LIMIT_DEFAULT = 50
export const QUARANTINE_LIMIT_MAX = 200

export const QuarantineQuery = Type.Object({
  cursor: Type.Optional(Type.Integer({ minimum: 0, description: 'The `next` of the page before.' })),
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
      description: 'Whether payloads come in full. A page then ends early when it has become large.',
    }),
  ),
})

export const DroppedQuery = Type.Object({
  id: Type.Optional(
    Type.Array(Type.Integer({ minimum: 1 }), { maxItems: 1000, description: 'The records with these ids.' }),
  ),
  connector: Type.Optional(Type.String({ minLength: 1, description: 'All records of this form.' })),
  all: Type.Optional(Type.Boolean({ description: '`true`: all records.' })),
})

export const DroppedSchema = named(
  'DroppedRecords',
  Type.Object({ dropped: count('Records that were in quarantine and are deleted now.') }),
)
export type Dropped = Static<typeof DroppedSchema>

export const QuarantinedRecordSchema = named(
  'QuarantinedRecord',
  Type.Object({
    id: Type.Integer(),
    rejectedAt: time('When it was last rejected.'),
    times: Type.Integer({ minimum: 1, description: 'How often the same record was rejected.' }),
    connector: Type.String({ description: 'The form in which it came.' }),
    reason: Type.String({ description: 'Why it could not be stored.' }),
    payload: Type.String({ description: 'The record as it came; bytes that are no UTF-8 are replaced.' }),
    isCut: Type.Boolean({ description: 'Whether the payload is longer than what is shown of it.' }),
  }),
)
export type QuarantinedRecord = Static<typeof QuarantinedRecordSchema>

export const QuarantineSchema = named(
  'Quarantine',
  Type.Object({
    records: Type.Array(ref(QuarantinedRecordSchema), { description: 'Oldest first.' }),
    count: count('Records in quarantine.'),
    next: textOrNull('Cursor of the next page; null at the end.'),
  }),
)
export type Quarantine = Static<typeof QuarantineSchema>

export const ReplaySchema = named(
  'Replay',
  Type.Object(
    {
      replayed: count('Records that were tried again.'),
      stored: count('Events that are in the log now.'),
      duplicates: count('Events that were there already.'),
      rejected: count('Records that are still rejected, with their reason of today.'),
    },
    { description: 'What came of a replay.' },
  ),
)
export type Replay = Static<typeof ReplaySchema>

/** Half a megabyte of somebody's attachment helps nobody to see what is wrong with a record. */
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
