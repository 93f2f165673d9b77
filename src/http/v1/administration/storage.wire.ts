/** GET /v1/admin/storage: storage use by day. */
import * as t from '../../../lib/json-schema.ts'

export const StorageUseSchema = t.named('StorageUse', 'Storage use.', {
  days: t.list(
    t.object({
      day: t.text('UTC.', { format: 'date' }),
      bytes: t.count('Bytes on disk.'),
      events: t.count('Events of the day.'),
    }),
    'Newest first.',
  ),
  bytes: t.count('All days together.'),
  events: t.count('All days together.'),
  retentionDays: t.raw<number>({ type: 'number' }, 'Retention period of events in days.'),
})
export type StorageUse = t.Static<typeof StorageUseSchema>
