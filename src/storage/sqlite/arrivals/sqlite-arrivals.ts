/** The log in order of arrival, over all day files. */
import type { ArrivalPage, ArrivalPosition, ArrivalQuery, Arrivals } from '../../../events/log/event-log.ts'
import { Turn } from '../../../lib/turns/turn.ts'
import type { DayCommit } from '../days/day-commit.ts'
import type { DayReaders } from '../reading/day-readers.ts'
import { toNamesJson } from '../reading/log-reader.ts'
import { toLogSearch } from '../reading/log-search.ts'
import { formatArrivalCursor, parseArrivalCursor, withDay } from './arrival-cursor.ts'
import { DayFollower } from './day-follower.ts'
import { cursorAtEnd, DayGrowths, listGrown } from './day-growths.ts'

export class SqliteArrivals implements Arrivals {
  readonly #readers: DayReaders
  readonly #growths: DayGrowths
  readonly #listeners = new Set<() => void>()

  constructor(readers: DayReaders) {
    this.#readers = readers
    this.#growths = new DayGrowths(readers)
  }

  learn(commits: readonly DayCommit[]): void {
    this.#growths.learn(commits)
    // Duplicates are not announced.
    if (commits.every(({ arrivalBefore, arrival }) => arrivalBefore === arrival)) return
    for (const listener of this.#listeners) listener()
  }

  forget(): void {
    this.#growths.forget()
  }

  async last(): Promise<ArrivalPosition> {
    return formatArrivalCursor(cursorAtEnd(await this.#growths.list()))
  }

  async list(query: ArrivalQuery): Promise<ArrivalPage> {
    const names = toNamesJson(query.domains)
    const search = toLogSearch(query.filters)
    const deadline = performance.now() + query.budgetMs
    const turn = new Turn()
    let cursor = parseArrivalCursor(query.after)
    const growths = await this.#growths.list()
    let hasRead = false
    const events: ArrivalPage['events'][number][] = []
    for (const [day, until] of listGrown(cursor, growths)) {
      using lease = this.#readers.lease(day)
      if (!lease) continue
      const follower = new DayFollower(lease.reader, names, search, cursor, until)
      while (!follower.isDone) {
        // At least one step a call, so that following the positions always comes to an end.
        if (events.length >= query.limit || (hasRead && performance.now() > deadline)) {
          return { events, position: formatArrivalCursor(cursor), hasMore: true }
        }
        events.push(...follower.step(cursor, query.limit - events.length))
        cursor = withDay(cursor, day, follower.read)
        hasRead = true
        await turn.share()
      }
    }
    return { events, position: formatArrivalCursor(cursorAtEnd(growths)), hasMore: false }
  }

  onArrival(listener: () => void): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }
}
