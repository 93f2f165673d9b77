/** Goes on from a place in the order of arrival, day by day, batch by batch. */
import type { ArrivalQuery, Arrivals } from '../../../events/tenant-log.ts'
import { type ArrivedEvent, readArrivalBatch } from '../days/arrival-batch.ts'
import { type Day, fromPosition, toPosition } from '../days/day.ts'
import type { LogDay } from '../reading/log-day-plan.ts'
import type { LogDayReader } from '../reading/log-day-reader.ts'
import { formatPlace, type Place, SETTLED_AFTER_MS } from './arrival-place.ts'
import { type DayGrowth, lastArrivalBefore, listBatches } from './day-arrivals.ts'

type ArrivedText = Arrivals['events'][number]

/** The place behind all that has arrived. */
export function placeAtEnd(growths: ReadonlyMap<Day, DayGrowth>, nowMs: number): Place {
  const sinceMs = Math.max(0, nowMs - SETTLED_AFTER_MS)
  const recent = [...growths].filter(([, { storedAtMs }]) => storedAtMs > sinceMs)
  return { sinceMs, arrivals: new Map(recent.map(([day, { arrival }]) => [day, arrival])) }
}

/** Days that have grown behind the place, and how far each is to be read. */
export function* listGrown(place: Place, growths: ReadonlyMap<Day, DayGrowth>): Generator<[Day, number]> {
  for (const [day, { arrival, storedAtMs }] of growths) {
    const read = findRead(place, day, arrival)
    if (read === undefined ? storedAtMs > place.sinceMs : arrival > read) yield [day, arrival]
  }
}

/** How far the day was read. A place behind the end is one in a file that was there before a backup was put in its stead. */
function findRead({ arrivals }: Place, day: Day, lastArrival: number): number | undefined {
  const read = arrivals.get(day)
  return read !== undefined && read > lastArrival ? undefined : read
}

/** Commits may be large: so many events are read at once, however many a commit has. */
const STEP_EVENTS = 100

/** One day on the way to the end: what was found and how far it was read. */
export class DayFollower {
  readonly #day: Day
  readonly #db: LogDay['db']
  readonly #reader: LogDayReader
  readonly #query: ArrivalQuery
  readonly #domains: ReadonlySet<number>
  readonly #until: number
  #read: number

  /** `until`: the last arrival to be read; what came later is left for the next time. */
  constructor(day: Day, db: LogDay['db'], reader: LogDayReader, query: ArrivalQuery, place: Place, until: number) {
    this.#day = day
    this.#db = db
    this.#reader = reader
    this.#query = query
    this.#domains = new Set(query.domains.map(({ number }) => number))
    this.#until = until
    this.#read = findRead(place, day, until) ?? Math.min(until, lastArrivalBefore(db, place.sinceMs))
  }

  get read(): number {
    return this.#read
  }

  get isDone(): boolean {
    return this.#read >= this.#until
  }

  /** Some events of the next few commits, at most `limit`; it may end in the midst of a commit. */
  step(place: Place, limit: number): readonly ArrivedText[] {
    const arrived = this.#nextArrivals()
    const last = arrived.at(-1)
    if (!last) {
      // Events from before there were batches: nobody can have been there.
      this.#read = this.#until
      return []
    }
    const own = arrived.filter(({ domain }) => this.#domains.has(domain))
    const looked = own.slice(0, STEP_EVENTS)
    const lastLooked = looked.length < own.length ? (looked.at(-1) ?? last) : last
    const positions = looked.map(({ secondOfDay, arrival }) => toPosition(secondOfDay, arrival))
    const found = positions.length === 0 ? [] : this.#reader.listAt(positions, this.#query.conditions)
    const ordered = found
      .map(([position, text]) => ({ arrival: fromPosition(position).arrival, text }))
      .sort((a, b) => a.arrival - b.arrival)
    const taken = ordered.slice(0, limit)
    this.#read = taken.length < ordered.length ? (taken.at(-1)?.arrival ?? this.#read) : lastLooked.arrival
    return taken.map(({ arrival, text }) => ({ text, place: formatPlace(withDay(place, this.#day, arrival)) }))
  }

  #nextArrivals(): readonly ArrivedEvent[] {
    return listBatches(this.#db, this.#read)
      .flatMap(({ first, events }) => [...readArrivalBatch(first, events)])
      .filter(({ arrival }) => arrival > this.#read && arrival <= this.#until)
  }
}

export function withDay({ sinceMs, arrivals }: Place, day: Day, arrival: number): Place {
  return { sinceMs, arrivals: new Map([...arrivals, [day, arrival]]) }
}
