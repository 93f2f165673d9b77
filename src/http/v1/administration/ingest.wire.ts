/** GET /v1/admin/ingest: the state of ingest. */
import { type Static, Type } from 'typebox'
import { count, named, time, timeOrNull } from '../schema.wire.ts'

export const IngestHealthSchema = named(
  'IngestHealth',
  Type.Object(
    {
      writable: Type.Boolean({ description: 'Whether storage can commit.' }),
      queued: count('Events accepted from callers and not yet committed.'),
      minutes: Type.Array(
        Type.Object({
          time: time('Start of the minute.'),
          stored: count('Events stored.'),
          duplicates: count('Events that were stored before.'),
          rejected: count('Records rejected.'),
        }),
        { description: 'The last hour by minute, oldest first. Counts only what this process has ingested.' },
      ),
      lastEventAt: timeOrNull(
        'Timestamp of the newest event in the log, whichever process stored it; null if there is none.',
      ),
      lastStoredAt: timeOrNull('When this process last stored an event; null before the first.'),
      quarantined: count('Records in quarantine.'),
    },
    { description: 'The state of ingest.' },
  ),
)
export type IngestHealth = Static<typeof IngestHealthSchema>
