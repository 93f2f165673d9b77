/** What commits have added to each domain: its events, as far as all of them are known. */
import { type Day, startOfDay } from '../days/day.ts'
import type { DayCommit } from '../days/day-commit.ts'
import type { EventPosition } from '../reading/log-position.ts'
import type { WatchedRow } from './watched-domains.ts'

/** Rows of the group that was stored, and the arrival number of each row of the group: 0 if it was not stored. */
export interface AppendedRows {
  readonly rows: readonly WatchedRow[]
  readonly arrivals: Uint32Array
}

export interface AddedEvent extends Pick<WatchedRow, 'row' | 'characters'> {
  readonly position: EventPosition
}

/** By domain; undefined if the domain has got events that are not known here. */
export type DomainChanges = ReadonlyMap<number, readonly AddedEvent[] | undefined>

/** `isUsed`: whether the day is part of reads. */
export function findChanges(
  commits: readonly DayCommit[],
  appended: AppendedRows | undefined,
  isUsed: (day: Day) => boolean,
): DomainChanges {
  const counts = new Map<number, number>()
  for (const commit of commits) {
    for (const [domain, , count] of commit.counts) counts.set(domain, (counts.get(domain) ?? 0) + count)
  }
  const added = appended ? listAdded(commits, appended, isUsed) : undefined
  const changes = new Map<number, readonly AddedEvent[] | undefined>()
  for (const [domain, count] of counts) {
    const events = added?.get(domain)
    // The counts are of all events: if the numbers differ, the domain was not watched, or a day is not used.
    changes.set(domain, events?.length === count ? events : undefined)
  }
  return changes
}

function listAdded(
  commits: readonly DayCommit[],
  { rows, arrivals }: AppendedRows,
  isUsed: (day: Day) => boolean,
): ReadonlyMap<number, readonly AddedEvent[]> {
  const days = new Set(commits.map(({ day }) => day).filter(isUsed))
  const added = new Map<number, AddedEvent[]>()
  for (const { index, row, characters } of rows) {
    const arrival = arrivals[index] ?? 0
    // A day that is missing here has failed, whatever was written to it before.
    if (arrival === 0 || !days.has(row.day)) continue
    const event = { position: { timestamp: startOfDay(row.day) + row.secondOfDay, arrival }, row, characters }
    const ofDomain = added.get(row.domain)
    if (ofDomain) ofDomain.push(event)
    else added.set(row.domain, [event])
  }
  return added
}
