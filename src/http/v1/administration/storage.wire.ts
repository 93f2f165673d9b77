/** GET /v1/admin/storage: storage use by day. */
import { type Static, Type } from 'typebox'
import { count, named } from '../schema.wire.ts'

export const StorageUseSchema = named(
  'StorageUse',
  Type.Object(
    {
      days: Type.Array(
        Type.Object({
          day: Type.String({ format: 'date', description: 'UTC.' }),
          bytes: count('Bytes on disk.'),
          events: count('Events of the day.'),
        }),
        { description: 'Newest first.' },
      ),
      bytes: count('All days together.'),
      events: count('All days together.'),
      retentionDays: Type.Number({ description: 'Retention period of events in days.' }),
    },
    { description: 'Storage use.' },
  ),
)
export type StorageUse = Static<typeof StorageUseSchema>
