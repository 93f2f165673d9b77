/** GET /v1/admin/storage: storage use by day. */
import * as t from '../../../lib/json-schema.ts'
import { TROUBLE_KINDS } from '../../../storage/storage.ts'

const LastBackup = t.object({
  finishedAt: t.time('When it was complete.'),
  bytes: t.count('Its size.'),
  problems: t.count('Days that it does not contain as they should be.'),
})

export const StorageUseSchema = t.named('StorageUse', 'Storage use.', {
  days: t.list(
    t.object({
      day: t.text('UTC.', { format: 'date' }),
      bytes: t.count('Bytes on disk.'),
      events: t.count('Events of the day.'),
    }),
    'Newest first.',
  ),
  setAside: t.list(
    t.object({
      day: t.text('UTC.', { format: 'date' }),
      kind: t.oneOf(
        TROUBLE_KINDS,
        '`damaged`: the content of its file is wrong. `unreadable`: its file cannot be opened or read at the moment; it is checked again ' +
          'automatically. `missing`: its file is gone. `emptied`: it has fewer events than it had. ' +
          '`foreign`: it is of another installation or another day. `newer`: a newer version wrote it.',
      ),
      since: t.time('When it was first noticed.'),
      detail: t.text('What is wrong, and what to do.'),
    }),
    'Days that are neither read nor written, newest first. They are not among `days`.',
  ),
  bytes: t.count('All days together.'),
  events: t.count('All days together.'),
  lastBackup: t.raw<t.Static<typeof LastBackup> | null>(
    { anyOf: [LastBackup, { type: 'null' }] },
    'The last complete backup that this server has made; null if there was none, or if the engine has backups of its own.',
  ),
  retentionDays: t.raw<number>({ type: 'number' }, 'Retention period of events in days.'),
})
export type StorageUse = t.Static<typeof StorageUseSchema>
