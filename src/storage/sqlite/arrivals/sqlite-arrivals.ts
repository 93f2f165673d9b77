/** The log in order of arrival, over all day files. */
import type { ArrivalPage, Arrivals } from '../../../events/log/event-log.ts'
import { Turn } from '../../../lib/turns/turn.ts'
import type { DayCommit } from '../days/day-commit.ts'
import type { DayReaders } from '../reading/day-readers.ts'
import { toNamesJson } from '../reading/log-reader.ts'
import { toLogSearch } from '../reading/log-search.ts'
import { formatArrivalCursor, parseArrivalCursor } from './arrival-cursor.ts'
import { followDay } from './day-follower.ts'
import { cursorAtEnd, DayGrowths, listGrown } from './day-growths.ts'

export interface SqliteArrivals extends Arrivals {
  learn(commits: readonly DayCommit[]): void
  forget(): void
}

export function openArrivals(readers: DayReaders): SqliteArrivals {
  const growths = new DayGrowths(readers)
  const listeners = new Set<() => void>()
  return {
    learn(commits) {
      growths.learn(commits)
      // Duplicates are not announced.
      if (commits.every(({ arrivalBefore, arrival }) => arrivalBefore === arrival)) return
      for (const listener of listeners) listener()
    },
    forget: () => growths.forget(),
    last: async () => formatArrivalCursor(cursorAtEnd(await growths.list())),
    async list({ domains, filters, after, limit, budgetMs }) {
      const names = toNamesJson(domains)
      const search = toLogSearch(filters)
      const deadline = performance.now() + budgetMs
      const turn = new Turn()
      let cursor = parseArrivalCursor(after)
      const grown = await growths.list()
      let hasRead = false
      const events: ArrivalPage['events'][number][] = []
      for (const [day, until] of listGrown(cursor, grown)) {
        using lease = readers.lease(day)
        if (!lease) continue
        const follower = followDay(lease.reader, names, search, cursor, until)
        while (!follower.isDone) {
          // At least one step per call, so that following the positions always reaches the end.
          if (events.length >= limit || (hasRead && performance.now() > deadline)) {
            return { events, position: formatArrivalCursor(cursor), hasMore: true }
          }
          const step = follower.step(cursor, limit - events.length)
          events.push(...step.events)
          cursor = step.next
          hasRead = true
          await turn.share()
        }
      }
      return { events, position: formatArrivalCursor(cursorAtEnd(grown)), hasMore: false }
    },
    onArrival(listener) {
      listeners.add(listener)
      return { [Symbol.dispose]: () => void listeners.delete(listener) }
    },
  }
}
