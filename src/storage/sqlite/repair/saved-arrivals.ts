/** In which order the events of a damaged day arrived, which of them are lost, and from which hours. */
import type { Database } from '../database/database.ts'
import { ArrivalBatch, readArrivalBatch } from '../days/arrival-batch.ts'
import { fromPosition } from '../days/day.ts'

const HOUR_SECONDS = 3600
const EVENTS_PER_BATCH = 5000
/** No domain has it: an arrival that is lost keeps its place, so that those after it can still be followed. */
const NOBODY = 0

interface SavedBatch {
  readonly first: number
  readonly storedAtMs: number
  readonly events: Uint8Array
}

export interface LostEvents {
  readonly events: number
  /** Of the 24 hours of the day; those whose hour is not known are in none of them. */
  readonly byHour: readonly number[]
}

export class SavedArrivals {
  /** Of the day, whether or not it was saved. */
  last = 0
  readonly #batches: SavedBatch[] = []
  /** By arrival: the second of the day plus one, and the domain; zero if it is lost. */
  #seconds = new Uint32Array(1024)
  #domains = new Uint32Array(1024)

  addBatch(batch: SavedBatch): void {
    this.#batches.push(batch)
  }

  addEvent({ position, domain }: { readonly position: number; readonly domain: number }): void {
    const { arrival, secondOfDay } = fromPosition(position)
    this.last = Math.max(this.last, arrival)
    if (arrival >= this.#seconds.length) {
      this.#seconds = enlarge(this.#seconds, arrival)
      this.#domains = enlarge(this.#domains, arrival)
    }
    this.#seconds[arrival] = secondOfDay + 1
    this.#domains[arrival] = domain
  }

  #isSaved(arrival: number): boolean {
    return (this.#seconds[arrival] ?? 0) > 0
  }

  countLost(): LostEvents {
    const byHour = Array.from({ length: 24 }, () => 0)
    const isKnown = new Uint8Array(this.last + 1)
    let events = 0
    for (const { first, events: bytes } of this.#batches) {
      for (const { arrival, secondOfDay, domain } of readArrivalBatch(first, bytes)) {
        if (arrival > this.last || isKnown[arrival]) continue
        isKnown[arrival] = 1
        const hour = Math.floor(secondOfDay / HOUR_SECONDS)
        if (domain === NOBODY || this.#isSaved(arrival) || byHour[hour] === undefined) continue
        byHour[hour] += 1
        events++
      }
    }
    for (let arrival = 1; arrival <= this.last; arrival++) if (!isKnown[arrival] && !this.#isSaved(arrival)) events++
    return { events, byHour }
  }

  /** Writes all batches again, without gaps. The times at which they were stored stay, as far as they are known. */
  writeBatches(db: Database): void {
    const known = this.#batches.toSorted((a, b) => a.first - b.first)
    // Events from before the first batch cannot be followed: an earlier version stored them.
    let next = known[0]?.first ?? 1
    let storedAtMs = 0
    let upcoming = 0
    while (next <= this.last) {
      while ((known[upcoming]?.first ?? Number.POSITIVE_INFINITY) <= next) {
        storedAtMs = Math.max(storedAtMs, known[upcoming]?.storedAtMs ?? 0)
        upcoming++
      }
      const end = Math.min(this.last, next + EVENTS_PER_BATCH - 1, (known[upcoming]?.first ?? this.last + 1) - 1)
      db.run(
        'INSERT INTO arrival_batch (first, stored_at_ms, events) VALUES (?, ?, ?)',
        next,
        storedAtMs,
        this.#toBytes(next, end),
      )
      next = end + 1
    }
  }

  #toBytes(first: number, last: number): Uint8Array {
    const batch = new ArrivalBatch()
    for (let arrival = first; arrival <= last; arrival++) {
      if (this.#isSaved(arrival)) batch.add((this.#seconds[arrival] ?? 0) - 1, this.#domains[arrival] ?? NOBODY)
      else batch.add(0, NOBODY)
    }
    return batch.toBytes()
  }
}

function enlarge(numbers: Uint32Array, index: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(Math.max(index + 1, numbers.length * 2))
  larger.set(numbers)
  return larger
}
