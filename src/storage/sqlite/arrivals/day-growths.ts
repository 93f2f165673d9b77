/** How far each day has grown: read from each file once, then kept current by the commits of this process. */
import { Turn } from '../../../lib/turns/turn.ts'
import type { Day } from '../days/day.ts'
import type { DayCommit } from '../days/day-commit.ts'
import type { DayReaders } from '../reading/day-readers.ts'
import { type ArrivalCursor, SETTLED_AFTER_MS } from './arrival-cursor.ts'

export interface DayGrowth {
  /** The last arrival number. */
  readonly arrival: number
  /** When the last commit was made; 0 if none is known. */
  readonly storedAtMs: number
}

const SELECT_GROWTH = `
  SELECT arrival, ifnull((SELECT stored_at_ms FROM arrival_batch ORDER BY first DESC LIMIT 1), 0) AS stored_at_ms
  FROM day`

export class DayGrowths {
  readonly #readers: DayReaders
  readonly #known = new Map<Day, DayGrowth>()

  constructor(readers: DayReaders) {
    this.#readers = readers
  }

  learn(commits: readonly DayCommit[]): void {
    for (const { day, arrival, storedAtMs } of commits) {
      const known = this.#known.get(day)
      // The file may have been read after a later commit.
      if (known && arrival <= known.arrival) continue
      this.#known.set(day, { arrival, storedAtMs: Math.max(known?.storedAtMs ?? 0, storedAtMs) })
    }
  }

  /** The last commits are unknown. */
  forget(): void {
    this.#known.clear()
  }

  /** The cursor of another thread may be after a commit that was not announced to this one yet. */
  catchUp({ arrivals }: ArrivalCursor): void {
    for (const [day, arrival] of arrivals) {
      if ((this.#known.get(day)?.arrival ?? 0) >= arrival) continue
      this.#known.delete(day)
      this.#readers.refresh(day)
    }
  }

  /** Every day that has a file, oldest first. */
  async list(): Promise<ReadonlyMap<Day, DayGrowth>> {
    const turn = new Turn()
    for (const day of this.#readers.days) {
      if (this.#known.has(day)) continue
      this.#growthOf(day)
      await turn.share()
    }
    return new Map(this.#readers.days.toReversed().map((day) => [day, this.#growthOf(day)]))
  }

  #growthOf(day: Day): DayGrowth {
    let growth = this.#known.get(day)
    if (!growth) {
      using lease = this.#readers.lease(day)
      const row = lease?.reader.db.get<{ arrival: number; stored_at_ms: number }>(SELECT_GROWTH)
      growth = { arrival: row?.arrival ?? 0, storedAtMs: row?.stored_at_ms ?? 0 }
      this.#known.set(day, growth)
    }
    return growth
  }
}

/**
 * The cursor after everything that has arrived. It goes by the time of the newest commit: the clock may be ahead for a while,
 * and events stored once it is right again would seem to be old.
 */
export function cursorAtEnd(growths: ReadonlyMap<Day, DayGrowth>): ArrivalCursor {
  const newestMs = [...growths.values()].reduce((newest, { storedAtMs }) => Math.max(newest, storedAtMs), 0)
  const sinceMs = Math.max(0, newestMs - SETTLED_AFTER_MS)
  const recent = [...growths].filter(([, { storedAtMs }]) => storedAtMs > sinceMs)
  return { sinceMs, arrivals: new Map(recent.map(([day, { arrival }]) => [day, arrival])) }
}

/** Days that have grown since, and how far each is to be read. */
export function* listGrown(cursor: ArrivalCursor, growths: ReadonlyMap<Day, DayGrowth>): Generator<[Day, number]> {
  for (const [day, { arrival, storedAtMs }] of growths) {
    const read = findRead(cursor, day, arrival)
    if (read === undefined ? storedAtMs > cursor.sinceMs : arrival > read) yield [day, arrival]
  }
}

/** How far the day was read. A position after the day's end belongs to a file that a backup has replaced since. */
export function findRead({ arrivals }: ArrivalCursor, day: Day, lastArrival: number): number | undefined {
  const read = arrivals.get(day)
  return read !== undefined && read > lastArrival ? undefined : read
}
