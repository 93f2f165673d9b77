/**
 * The newest events of domains that polling clients and consoles ask for again and again: kept as texts until an event is
 * added to the domain, so that a repeated request costs a look-up instead of rows from several files.
 */
import type { EventText, LogPage, LogWindow } from '../../../events/log/log-query.ts'
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
  /** Unix seconds: the domain has no others from then on. */
  readonly completeFrom: number
  readonly characters: number
}

export class NewestPages {
  readonly #charactersMax: number
  /** By domain, in order of use, so that the first is the one to drop. */
  readonly #domains = new Map<number, NewestEvents>()
  #characters = 0
  #revision = 0

  constructor(charactersMax = CHARACTERS_MAX) {
    this.#charactersMax = charactersMax
  }

  /** Undefined when the kept events do not suffice. */
  find(domain: number, { startTimestamp, endTimestamp }: LogWindow, limit: number): LogPage | undefined {
    const newest = this.#domains.get(domain)
    if (!newest) return undefined
    this.#domains.delete(domain)
    this.#domains.set(domain, newest)
    const { events, completeFrom } = newest
    let first = 0
    while (first < events.length && (events[first]?.position.timestamp ?? 0) > endTimestamp) first++
    let end = first
    while (end < events.length && (events[end]?.position.timestamp ?? 0) >= startTimestamp) end++
    const texts = events.slice(first, Math.min(end, first + limit)).map(({ text }) => text)
    const last = events[first + limit - 1]?.position
    if (end - first > limit && last) return { events: texts, next: formatPosition(last), searchedTo: last.timestamp }
    return startTimestamp >= completeFrom || end < events.length ? { events: texts } : undefined
  }

  /** Changes with every commit: events read before a commit must not be cached after it. */
  get revision(): number {
    return this.#revision
  }

  /** `events`: newest first, and no other of the domain is newer or in between, or from `completeFrom` on. */
  keep(domain: number, events: readonly PositionedEvent[], completeFrom: number): void {
    this.#drop(domain)
    const characters = events.reduce((sum, { text }) => sum + text.length, 0)
    this.#domains.set(domain, { events, completeFrom, characters })
    this.#characters += characters
    for (const oldest of this.#domains.keys()) {
      if (this.#characters <= this.#charactersMax) return
      this.#drop(oldest)
    }
  }

  learn(commits: readonly DayCommit[]): void {
    this.#revision++
    for (const { counts } of commits) for (const [domain] of counts) this.#drop(domain)
  }

  clear(): void {
    this.#revision++
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
