/** The size of each day file, and the time of the newest event. */
import { statSync } from 'node:fs'
import { Turn } from '../../../lib/turns/turn.ts'
import type { DayUse } from '../../storage.ts'
import { type Day, fromPosition, startOfDay } from '../days/day.ts'
import type { DayFiles } from '../days/day-files.ts'
import { countStored } from '../days/stored-events.ts'
import type { DayReaders } from './day-readers.ts'

export async function listDayUse(files: DayFiles, readers: DayReaders): Promise<readonly DayUse[]> {
  const turn = new Turn()
  const uses: DayUse[] = []
  for (const day of readers.days) {
    const events = readers.history.find(day)?.events ?? countEvents(readers, day)
    if (events === undefined) continue
    const sizes = ['', '-wal'].map((suffix) => statSync(files.path(day) + suffix, { throwIfNoEntry: false })?.size ?? 0)
    uses.push({ day, bytes: sizes.reduce((sum, size) => sum + size), events })
    await turn.share()
  }
  return uses
}

function countEvents(readers: DayReaders, day: Day): number | undefined {
  using lease = readers.lease(day)
  return lease && countStored(lease.reader.db)
}

export function findNewestTimestamp(readers: DayReaders): number | undefined {
  for (const day of readers.days) {
    using lease = readers.lease(day)
    const newest = lease?.reader.db.get<{ position: number | null }>(
      'SELECT max(position) AS position FROM event',
    )?.position
    if (typeof newest === 'number') return startOfDay(day) + fromPosition(newest).secondOfDay
  }
  return undefined
}
