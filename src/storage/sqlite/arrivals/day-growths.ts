/** How far each day has grown: from the history index or its file, then kept current by the commits of this process. */
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
  /** Days by their last commit, oldest first: those who follow the log need the last few. Undefined after a change of order. */
  #byTime: Day[] | undefined
  /** The list of days that was last loaded. */
  #loaded: readonly Day[] = []

  constructor(readers: DayReaders) {
    this.#readers = readers
  }

  learn(commits: readonly DayCommit[]): void {
    for (const { day, arrival, storedAtMs } of commits) {
      const known = this.#known.get(day)
      // The file may have been read after a later commit.
      if (known && arrival <= known.arrival) continue
      this.#set(day, { arrival, storedAtMs: Math.max(known?.storedAtMs ?? 0, storedAtMs) })
    }
  }

  /** The last commits are unknown. */
  forget(): void {
    this.#known.clear()
    this.#byTime = undefined
    this.#loaded = []
  }

  /** Days that have grown since the cursor, or recently, and those that it names; oldest first. */
  async list(cursor: ArrivalCursor): Promise<ReadonlyMap<Day, DayGrowth>> {
    await this.#load()
    this.#catchUp(cursor)
    // There may be a day that is new to this thread.
    await this.#load()
    this.#byTime ??= this.#sortByTime()
    const newest = this.#byTime.at(-1)
    const sinceMs = Math.min(cursor.sinceMs, settledMs(this.#storedAtMs(newest)))
    const days = new Set([...cursor.arrivals.keys()].filter((day) => this.#known.has(day)))
    for (let at = this.#byTime.length - 1; at >= 0; at--) {
      const day = this.#byTime[at] ?? ''
      if (this.#storedAtMs(day) <= sinceMs) break
      days.add(day)
    }
    return new Map([...days].sort().map((day) => [day, this.#known.get(day) ?? { arrival: 0, storedAtMs: 0 }]))
  }

  /** The cursor of another thread may be after a commit that was not announced to this one yet. */
  #catchUp({ arrivals }: ArrivalCursor): void {
    for (const [day, arrival] of arrivals) {
      if ((this.#known.get(day)?.arrival ?? 0) >= arrival) continue
      this.#readers.refresh(day)
      const growth = this.#read(day)
      if (growth) this.#set(day, growth)
    }
  }

  async #load(): Promise<void> {
    const turn = new Turn()
    while (this.#loaded !== this.#readers.days) {
      const { days } = this.#readers
      const all = new Set(days)
      for (const day of this.#known.keys()) if (!all.has(day)) this.#known.delete(day)
      this.#byTime = undefined
      for (const day of days) {
        if (this.#known.has(day)) continue
        const growth = this.#readers.history.find(day) ?? this.#read(day)
        this.#set(day, growth ?? { arrival: 0, storedAtMs: 0 })
        await turn.share()
      }
      // Others may have forgotten them meanwhile.
      if (days.every((day) => this.#known.has(day))) this.#loaded = days
    }
  }

  #set(day: Day, growth: DayGrowth): void {
    const isLast = growth.storedAtMs >= this.#storedAtMs(this.#byTime?.at(-1))
    this.#known.set(day, growth)
    if (!this.#byTime) return
    const at = this.#byTime.lastIndexOf(day)
    if (at >= 0) this.#byTime.splice(at, 1)
    if (isLast) this.#byTime.push(day)
    else this.#byTime = undefined
  }

  #storedAtMs(day: Day | undefined): number {
    return this.#known.get(day ?? '')?.storedAtMs ?? 0
  }

  #sortByTime(): Day[] {
    return [...this.#known.keys()].sort((a, b) => this.#storedAtMs(a) - this.#storedAtMs(b))
  }

  #read(day: Day): DayGrowth | undefined {
    using lease = this.#readers.lease(day)
    const row = lease?.reader.db.get<{ arrival: number; stored_at_ms: number }>(SELECT_GROWTH)
    return row && { arrival: row.arrival, storedAtMs: row.stored_at_ms }
  }
}

/** No other day changes any more that has not changed since then. */
function settledMs(newestMs: number): number {
  return Math.max(0, newestMs - SETTLED_AFTER_MS)
}

/**
 * The cursor after everything that has arrived. It goes by the time of the newest commit: the clock may be ahead for a while,
 * and events stored once it is right again would seem to be old.
 */
export function cursorAtEnd(growths: ReadonlyMap<Day, DayGrowth>): ArrivalCursor {
  const newestMs = [...growths.values()].reduce((newest, { storedAtMs }) => Math.max(newest, storedAtMs), 0)
  const sinceMs = settledMs(newestMs)
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
