/** GET /v1/admin/ingest: the state of ingest. */
import * as t from '../../../lib/json-schema.ts'

export const IngestHealthSchema = t.named('IngestHealth', 'The state of ingest.', {
  writable: t.flag('Whether storage can commit.'),
  queued: t.count('Events accepted from callers and not yet committed.'),
  minutes: t.list(
    t.object({
      time: t.time('Start of the minute.'),
      stored: t.count('Events stored.'),
      duplicates: t.count('Events that were stored before.'),
      rejected: t.count('Records rejected.'),
    }),
    'The last hour by minute, oldest first. Counts only what this process has ingested.',
  ),
  lastEventAt: t.timeOrNull(
    'Timestamp of the newest event in the log, whichever process stored it; null if there is none.',
  ),
  lastStoredAt: t.timeOrNull('When this process last stored an event; null before the first.'),
  quarantined: t.count('Records in quarantine.'),
})
export type IngestHealth = t.Static<typeof IngestHealthSchema>
