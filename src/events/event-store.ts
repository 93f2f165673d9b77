/** The log itself: append-only, newest first. Port; the adapters are under storage/. */
import type { EmailEvent, EventExtension } from './event.ts'
import type { EventPage, EventQuery, EventText } from './event-query.ts'

/** An event whose domain is known to us. */
export interface AttributedEvent {
  readonly domainNumber: number
  readonly event: EmailEvent
  readonly extension?: EventExtension
}

export interface AppendResult {
  readonly stored: number
  /** Events that were there already, or twice in the same call. */
  readonly duplicates: number
  /** Indexes of events whose day was already removed by retention: they were not stored. */
  readonly expired: readonly number[]
}

export interface EventStore {
  /**
   * Resolves once every event counted in the result is durable (survives `kill -9` and a power cut) and counted.
   * Rejects with AppError `storage_unavailable` or `overloaded`; then the call can be repeated unchanged without harm.
   */
  append(events: readonly AttributedEvent[]): Promise<AppendResult>
  list(query: EventQuery): Promise<EventPage>
  /** Every event of one message, newest first. */
  listByMessage(domainNumber: number, domainName: string, messageId: string): Promise<readonly EventText[]>
}
