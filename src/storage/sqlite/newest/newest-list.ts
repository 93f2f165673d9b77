/** The newest events of a domain up to a number, newest first: no other event of the domain is newer or in between. */
import type { EventText, LogPage, LogWindow } from '../../../events/log/log-query.ts'
import { type EventPosition, formatPosition } from '../reading/log-position.ts'

export interface Positioned {
  readonly position: EventPosition
}

/** Newest first, and no other event of the domain is newer or in between. */
export interface NewestEvents<T extends Positioned> {
  readonly events: readonly T[]
  /** Unix seconds: the domain has no others from then on; infinite if it may have. */
  readonly completeFrom: number
}

export class NewestList<T extends Positioned> implements NewestEvents<T> {
  readonly #events: T[]
  readonly #lengthMax: number
  #completeFrom: number

  constructor(lengthMax: number, { events, completeFrom }: NewestEvents<T>) {
    this.#lengthMax = lengthMax
    this.#events = [...events]
    this.#completeFrom = completeFrom
    while (this.#cut());
  }

  get events(): readonly T[] {
    return this.#events
  }

  get completeFrom(): number {
    return this.#completeFrom
  }

  /** Takes an event of the domain. Returns the one that has no place here: that one, or the oldest, or none. */
  add(event: T): T | undefined {
    const { position } = event
    // New events are near the front.
    const older = this.#events.findIndex((other) => compare(other.position, position) <= 0)
    const at = older === -1 ? this.#events.length : older
    const next = this.#events[at]
    if (next && compare(next.position, position) === 0) return event
    // Older than all: others may lie in between, unless the list is complete from there on.
    if (at === this.#events.length && position.timestamp < this.#completeFrom) return event
    this.#events.splice(at, 0, event)
    return this.#cut()
  }

  /** Events that were added to another list, which has had all of them but for those that were cut off. */
  addAll({ events, completeFrom }: NewestEvents<T>): void {
    for (const event of events) this.add(event)
    this.#completeFrom = Math.max(this.#completeFrom, completeFrom)
  }

  #cut(): T | undefined {
    if (this.#events.length <= this.#lengthMax) return undefined
    this.#completeFrom = Number.POSITIVE_INFINITY
    return this.#events.pop()
  }
}

/** Greater than 0 if `a` is newer. */
function compare(a: EventPosition, b: EventPosition): number {
  return a.timestamp - b.timestamp || a.arrival - b.arrival
}

/** A page of them; undefined when they do not suffice. */
export function pageOfNewest<T extends Positioned>(
  { events, completeFrom }: NewestEvents<T>,
  { startTimestamp, endTimestamp }: LogWindow,
  limit: number,
  toText: (event: T) => EventText,
): LogPage | undefined {
  // After the last there is no time: it is neither later nor earlier than anything.
  const timestampAt = (index: number) => events[index]?.position.timestamp ?? Number.NaN
  let first = 0
  while (timestampAt(first) > endTimestamp) first++
  let end = first
  while (timestampAt(end) >= startTimestamp) end++
  const last = events[first + limit - 1]?.position
  const isCut = end - first > limit
  if (!isCut && startTimestamp < completeFrom && end === events.length) return undefined
  const texts = events.slice(first, Math.min(end, first + limit)).map(toText)
  return isCut && last ? { events: texts, next: formatPosition(last), searchedTo: last.timestamp } : { events: texts }
}
