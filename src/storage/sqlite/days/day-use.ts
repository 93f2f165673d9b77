/** What each day file takes, and how new the newest event is. */
import { statSync } from 'node:fs'
import type { DayUse } from '../../storage.ts'
import type { DayReaders } from '../reading/day-readers.ts'
import { fromPosition, startOfDay } from './day.ts'
import type { DayFiles } from './day-files.ts'

export function listDayUse(files: DayFiles, readers: DayReaders): readonly DayUse[] {
  return readers.days().flatMap((day) => {
    using lease = readers.lease(day)
    if (!lease) return []
    // Arrivals have no gaps.
    const events = lease.reader.database.get<{ arrival: number }>('SELECT arrival FROM day')?.arrival ?? 0
    const sizes = ['', '-wal'].map((suffix) => statSync(files.path(day) + suffix, { throwIfNoEntry: false })?.size ?? 0)
    return [{ day, bytes: sizes.reduce((sum, size) => sum + size), events }]
  })
}

export function findNewestTimestamp(readers: DayReaders): number | undefined {
  for (const day of readers.days()) {
    using lease = readers.lease(day)
    const newest = lease?.reader.database.get<{ position: number | null }>(
      'SELECT max(position) AS position FROM event',
    )?.position
    if (typeof newest === 'number') return startOfDay(day) + fromPosition(newest).secondOfDay
  }
  return undefined
}
