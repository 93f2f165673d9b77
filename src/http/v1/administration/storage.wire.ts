/** GET /v1/admin/storage: what each day takes. */
import { type Static, Type } from 'typebox'
import { count, named } from '../schema.wire.ts'

export const StorageUseSchema = named(
  'StorageUse',
  Type.Object(
    {
      days: Type.Array(
        Type.Object({
          day: Type.String({ format: 'date', description: 'UTC.' }),
          bytes: count('On the disk.'),
          events: count('Events of the day.'),
        }),
        { description: 'Newest first.' },
      ),
      bytes: count('All days together.'),
      events: count('All days together.'),
      retentionDays: Type.Number({ description: 'For how many days events are kept.' }),
    },
    { description: 'What is stored.' },
  ),
)
export type StorageUse = Static<typeof StorageUseSchema>
