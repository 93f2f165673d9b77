/** Reads the log in order of arrival, over all day files. */
import type { ArrivalPage, ArrivalPosition, ArrivalQuery } from '../../../events/log/event-log.ts'
import { Turn } from '../../../lib/turns/turn.ts'
import type { DayCommit } from '../days/day-commit.ts'
import type { DayReaders } from '../reading/day-readers.ts'
import { toNamesJson } from '../reading/log-reader.ts'
import { toLogSearch } from '../reading/log-search.ts'
import { type ArrivalCursor, formatArrivalCursor, parseArrivalCursor } from './arrival-cursor.ts'
import { followDay } from './day-follower.ts'
import { cursorAtEnd, DayGrowths, listGrown } from './day-growths.ts'

const FROM_NOW_ON: ArrivalCursor = { sinceMs: Number.POSITIVE_INFINITY, arrivals: new Map() }

export class ArrivalReader {
  readonly #readers: DayReaders
  readonly #growths: DayGrowths

  constructor(readers: DayReaders) {
    this.#readers = readers
    this.#growths = new DayGrowths(readers)
  }

  learn(commits: readonly DayCommit[]): void {
    this.#growths.learn(commits)
  }

  forget(): void {
    this.#growths.forget()
  }

  async last(): Promise<ArrivalPosition> {
    return formatArrivalCursor(cursorAtEnd(await this.#growths.list(FROM_NOW_ON)))
  }

  async list({ domains, filters, shown, after, limit, budgetMs }: ArrivalQuery): Promise<ArrivalPage> {
    const names = toNamesJson(domains)
    const search = toLogSearch(filters, shown)
    const deadline = performance.now() + budgetMs
    const turn = new Turn()
    let cursor = parseArrivalCursor(after)
    const grown = await this.#growths.list(cursor)
    let hasRead = false
    const events: ArrivalPage['events'][number][] = []
    for (const [day, until] of listGrown(cursor, grown)) {
      using lease = this.#readers.lease(day)
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
  }
}
