/**
 * The newest events of domains that are asked for again and again, as polling clients and consoles do: kept as texts until
 * something is added to the domain, so that asking again costs a look-up instead of rows from several files.
 */
import type { EventText, LogPage, LogWindow } from '../../../events/log-query.ts'
import type { DayCommit } from '../days/day-commit.ts'
import { type EventPosition, formatPosition } from './log-position.ts'

/** Characters kept; some thousand pages. */
const CHARACTERS_MAX = 40 * 2 ** 20

export interface PositionedEvent {
  readonly position: EventPosition
  readonly text: EventText
}

interface NewestEvents {
  readonly events: readonly PositionedEvent[]
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

  /** Undefined when the kept events do not suffice. */
  find(domain: number, { startTimestamp, endTimestamp }: LogWindow, limit: number): LogPage | undefined {
    const newest = this.#domains.get(domain)
    if (!newest) return undefined
    this.#domains.delete(domain)
    this.#domains.set(domain, newest)
    const { events, isAll } = newest
    let first = 0
    while (first < events.length && (events[first]?.position.timestamp ?? 0) > endTimestamp) first++
    let end = first
    while (end < events.length && (events[end]?.position.timestamp ?? 0) >= startTimestamp) end++
    const texts = events.slice(first, Math.min(end, first + limit)).map(({ text }) => text)
    const last = events[first + limit - 1]?.position
    if (end - first > limit && last) return { events: texts, next: formatPosition(last), searchedTo: last.timestamp }
    // The window ends within the kept events, or there is nothing else.
    return isAll || end < events.length ? { events: texts } : undefined
  }

  /** `events`: newest first, and no other of the domain is newer or in between. */
  keep(domain: number, events: readonly PositionedEvent[], isAll: boolean): void {
    this.#drop(domain)
    const characters = events.reduce((sum, { text }) => sum + text.length, 0)
    this.#domains.set(domain, { events, isAll, characters })
    this.#characters += characters
    for (const oldest of this.#domains.keys()) {
      if (this.#characters <= this.#charactersMax) return
      this.#drop(oldest)
    }
  }

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
