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

/** Newest first, and no other event of the domain is newer or in between. */
export interface NewestEvents {
  readonly events: readonly PositionedEvent[]
  /** Unix seconds: the domain has no others from then on; infinite if it may have. */
  readonly completeFrom: number
}

interface KeptEvents extends NewestEvents {
  readonly characters: number
}

/** Events of a domain that are being read: they are not kept if it changes meanwhile. */
export interface Reading extends Disposable {
  readonly domain: number
  isOutdated: boolean
}

/** A page of them; undefined when they do not suffice. */
export function pageOfNewest(
  { events, completeFrom }: NewestEvents,
  { startTimestamp, endTimestamp }: LogWindow,
  limit: number,
): LogPage | undefined {
  let first = 0
  while (first < events.length && (events[first]?.position.timestamp ?? 0) > endTimestamp) first++
  let end = first
  while (end < events.length && (events[end]?.position.timestamp ?? 0) >= startTimestamp) end++
  const texts = events.slice(first, Math.min(end, first + limit)).map(({ text }) => text)
  const last = events[first + limit - 1]?.position
  if (end - first > limit && last) return { events: texts, next: formatPosition(last), searchedTo: last.timestamp }
  return startTimestamp >= completeFrom || end < events.length ? { events: texts } : undefined
}

export class NewestPages {
  readonly #charactersMax: number
  /** By domain, in order of use, so that the first is the one to drop. */
  readonly #domains = new Map<number, KeptEvents>()
  readonly #readings = new Set<Reading>()
  #characters = 0

  constructor(charactersMax = CHARACTERS_MAX) {
    this.#charactersMax = charactersMax
  }

  /** Undefined when the kept events do not suffice. */
  find(domain: number, window: LogWindow, limit: number): LogPage | undefined {
    const newest = this.#domains.get(domain)
    if (!newest) return undefined
    this.#domains.delete(domain)
    this.#domains.set(domain, newest)
    return pageOfNewest(newest, window, limit)
  }

  /** To be called before the events are read, and disposed of afterwards. */
  read(domain: number): Reading {
    const reading = { domain, isOutdated: false, [Symbol.dispose]: () => void this.#readings.delete(reading) }
    this.#readings.add(reading)
    return reading
  }

  keep({ domain, isOutdated }: Reading, { events, completeFrom }: NewestEvents): void {
    if (isOutdated) return
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
    const changed = new Set(commits.flatMap(({ counts }) => counts.map(([domain]) => domain)))
    for (const domain of changed) this.#drop(domain)
    for (const reading of this.#readings) if (changed.has(reading.domain)) reading.isOutdated = true
  }

  clear(): void {
    for (const reading of this.#readings) reading.isOutdated = true
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
