/** GET /v1/admin/ingest: whether events come in. */
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
          duplicates: count('Events that were there already.'),
          rejected: count('Records rejected.'),
        }),
        { description: 'The last hour, oldest first, as far as this process has taken events in.' },
      ),
      lastEventAt: timeOrNull('The time of the newest event in the log, whoever stored it; null where there is none.'),
      lastStoredAt: timeOrNull('When this process last stored an event that was sent to it; null before the first.'),
      quarantined: count('Records in quarantine.'),
    },
    { description: 'Whether events come in.' },
  ),
)
export type IngestHealth = Static<typeof IngestHealthSchema>
