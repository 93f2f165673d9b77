/** The log as a plain list in memory: slow, obvious, and what every event store has to agree with. */
import type { EmailEvent } from '../../events/event.ts'
import type { EventFilters } from '../../events/event-query.ts'
import type { AttributedEvent } from '../../events/event-store.ts'

interface ModelEvent {
  readonly domainNumber: number
  readonly event: EmailEvent
  readonly arrival: number
}

export class LogModel {
  readonly #events: ModelEvent[] = []
  readonly #known = new Set<string>()

  append(events: readonly AttributedEvent[]): { stored: number; duplicates: number } {
    let stored = 0
    for (const { domainNumber, event } of events) {
      const identity = JSON.stringify([domainNumber, Object.entries(event).sort(([a], [b]) => (a < b ? -1 : 1))])
      if (this.#known.has(identity)) continue
      this.#known.add(identity)
      this.#events.push({ domainNumber, event, arrival: this.#events.length })
      stored++
    }
    return { stored, duplicates: events.length - stored }
  }

  list(domainNumber: number, filters: EventFilters): readonly EmailEvent[] {
    return this.#sorted(domainNumber).filter((event) => matches(event, filters))
  }

  listByMessage(domainNumber: number, messageId: string): readonly EmailEvent[] {
    return this.#sorted(domainNumber).filter((event) => event.id === messageId)
  }

  count(domainNumber: number, type: EmailEvent['type']): number {
    return this.#events.filter((stored) => stored.domainNumber === domainNumber && stored.event.type === type).length
  }

  #sorted(domainNumber: number): readonly EmailEvent[] {
    const own = this.#events.filter((stored) => stored.domainNumber === domainNumber)
    own.sort((a, b) => b.event.timestamp - a.event.timestamp || b.arrival - a.arrival)
    return own.map((stored) => stored.event)
  }
}

function matches(event: EmailEvent, filters: EventFilters): boolean {
  return (
    event.timestamp >= filters.startTimestamp &&
    event.timestamp <= filters.endTimestamp &&
    (filters.types === undefined || filters.types.includes(event.type)) &&
    (filters.responseCode === undefined || event.response_code === filters.responseCode) &&
    contains(event.recipient, filters.recipient) &&
    contains(event.sender, filters.sender) &&
    contains(event.from, filters.from) &&
    contains(event.subject, filters.subject)
  )
}

/** The regular expression engine's own idea of letter case, independent of ours. */
function contains(text: string | undefined, needle: string | undefined): boolean {
  if (needle === undefined) return true
  return text !== undefined && new RegExp(RegExp.escape(needle), 'iu').test(text)
}
