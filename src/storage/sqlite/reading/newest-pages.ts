/**
 * The newest events of the domains that are asked for over and over, as polls and consoles do: kept as texts until something
 * is added to the domain, so that asking again costs a look-up instead of a page of rows from several files.
 */
import type { EventPage, EventPosition, EventQuery, EventText } from '../../../events/event-query.ts'
import type { DayCommit } from '../days/day-commit.ts'

/** Characters kept; some thousand pages. */
const CHARACTERS_MAX = 40 * 2 ** 20

export interface PlacedEvent {
  readonly place: EventPosition
  readonly text: EventText
}

interface NewestEvents {
  readonly events: readonly PlacedEvent[]
  /** Whether the domain has no more than these. */
  readonly isAll: boolean
  readonly characters: number
}

export class NewestPages {
  readonly #charactersMax: number
  /** By domain, in order of use, so that the first is the one to drop. */
  readonly #domains = new Map<number, NewestEvents>()
  #characters = 0

  constructor(charactersMax = CHARACTERS_MAX) {
    this.#charactersMax = charactersMax
  }

  /** Undefined when what is kept does not tell. */
  find({ domainNumber, filters, limit }: EventQuery): EventPage | undefined {
    const newest = this.#domains.get(domainNumber)
    if (!newest) return undefined
    this.#domains.delete(domainNumber)
    this.#domains.set(domainNumber, newest)
    const { events, isAll } = newest
    let first = 0
    while (first < events.length && (events[first]?.place.timestamp ?? 0) > filters.endTimestamp) first++
    let end = first
    while (end < events.length && (events[end]?.place.timestamp ?? 0) >= filters.startTimestamp) end++
    const texts = events.slice(first, Math.min(end, first + limit)).map(({ text }) => text)
    const last = events[first + limit - 1]
    if (end - first > limit && last) return { events: texts, next: last.place }
    // The window ends within what is kept, or there is nothing else.
    return isAll || end < events.length ? { events: texts } : undefined
  }

  /** `events`: newest first, and no other of the domain is newer or in between. */
  keep(domainNumber: number, events: readonly PlacedEvent[], isAll: boolean): void {
    this.#drop(domainNumber)
    const characters = events.reduce((sum, { text }) => sum + text.length, 0)
    this.#domains.set(domainNumber, { events, isAll, characters })
    this.#characters += characters
    for (const domain of this.#domains.keys()) {
      if (this.#characters <= this.#charactersMax) return
      this.#drop(domain)
    }
  }

  /** Told of commits of this process. */
  learn(commits: readonly DayCommit[]): void {
    for (const { counts } of commits) for (const [domain] of counts) this.#drop(domain)
  }

  clear(): void {
    this.#domains.clear()
    this.#characters = 0
  }

  #drop(domain: number): void {
    const newest = this.#domains.get(domain)
    if (!newest) return
    this.#characters -= newest.characters
    this.#domains.delete(domain)
  }
}
