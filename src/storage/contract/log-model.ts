/** The log as a plain list in memory: slow, obvious, and what every event store has to agree with. */
import type { EmailEvent } from '../../events/event.ts'
import type { EventFilters } from '../../events/event-query.ts'
import type { AttributedEvent } from '../../events/event-store.ts'
import type { LogConditions, LogDomain, LogWindow } from '../../events/log-query.ts'

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

  /** Of several domains together; each event as it is served, with the name of its domain. */
  listAcross(domains: readonly LogDomain[], conditions: LogConditions, window: LogWindow): readonly EmailEvent[] {
    return this.#newestFirst()
      .filter(({ event }) => isWithin(event, window) && meets(event, conditions))
      .flatMap((stored) => namedEvent(stored, domains))
  }

  /** In order of arrival. */
  listArrivals(domains: readonly LogDomain[], conditions: LogConditions): readonly EmailEvent[] {
    return this.#events.filter(({ event }) => meets(event, conditions)).flatMap((stored) => namedEvent(stored, domains))
  }

  listByMessage(domainNumber: number, messageId: string): readonly EmailEvent[] {
    return this.#sorted(domainNumber).filter((event) => event.id === messageId)
  }

  count(domainNumber: number, type: EmailEvent['type']): number {
    return this.#events.filter((stored) => stored.domainNumber === domainNumber && stored.event.type === type).length
  }

  #newestFirst(): readonly ModelEvent[] {
    return this.#events.toSorted((a, b) => b.event.timestamp - a.event.timestamp || b.arrival - a.arrival)
  }

  #sorted(domainNumber: number): readonly EmailEvent[] {
    const own = this.#events.filter((stored) => stored.domainNumber === domainNumber)
    own.sort((a, b) => b.event.timestamp - a.event.timestamp || b.arrival - a.arrival)
    return own.map((stored) => stored.event)
  }
}

function namedEvent({ domainNumber, event }: ModelEvent, domains: readonly LogDomain[]): readonly EmailEvent[] {
  const domain = domains.find(({ number }) => number === domainNumber)
  return domain ? [{ ...event, domain_name: domain.name }] : []
}

function isWithin({ timestamp }: EmailEvent, { startTimestamp, endTimestamp }: LogWindow): boolean {
  return timestamp >= startTimestamp && timestamp <= endTimestamp
}

function meets(event: EmailEvent, conditions: LogConditions): boolean {
  const { types, codes, providers, classifications, anyText, messageId } = conditions
  const { response_code: code = -1, provider_name: provider, bounce_classification: classification } = event
  const texts = [event.recipient, event.sender, event.from, event.subject]
  return (
    (types === undefined || types.includes(event.type)) &&
    (codes === undefined || codes.some(({ from, to }) => code >= from && code <= to)) &&
    (providers === undefined || (provider !== undefined && providers.includes(provider))) &&
    (classifications === undefined || (classification !== undefined && classifications.includes(classification))) &&
    (messageId === undefined || event.id === messageId) &&
    (anyText === undefined || event.id === anyText || texts.some((text) => contains(text, anyText))) &&
    contains(event.recipient, conditions.recipient) &&
    contains(event.sender, conditions.sender) &&
    contains(event.from, conditions.from) &&
    contains(event.subject, conditions.subject)
  )
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
