/** What a caller wants to see of one domain's log, already checked: filters, page size and where to go on. */
import type { EventType } from './event.ts'

export interface EventFilters {
  /** One of these types; absent means all. Never empty. */
  readonly types?: readonly EventType[]
  /** Literal substrings, letter case ignored. Never empty strings. */
  readonly recipient?: string
  readonly sender?: string
  readonly from?: string
  readonly subject?: string
  readonly responseCode?: number
  /** Unix seconds, both ends inclusive, start <= end. */
  readonly startTimestamp: number
  readonly endTimestamp: number
}

/** A place in the total order of a domain's log: timestamp descending, then arrival descending. */
export interface EventPosition {
  readonly timestamp: number
  readonly arrival: number
}

export interface EventQuery {
  /** The domain's number (`Domain.number`), never its name: who may ask was decided before. */
  readonly domainNumber: number
  readonly domainName: string
  readonly filters: EventFilters
  readonly limit: number
  /** Only events that come after this position in the order, that is: older ones. */
  readonly after?: EventPosition
  /** How long the store may search before it answers with what it found and a position to go on from. */
  readonly budgetMs: number
}

/** An event as the JSON text of one object with the names of section 2.1. Stores keep events this way; nobody re-parses a page. */
export type EventText = string

export interface EventPage {
  /** Newest first. May be short, or empty, although `next` is present: the budget ran out. */
  readonly events: readonly EventText[]
  /** Where the next page starts; absent exactly when the end is reached. */
  readonly next?: EventPosition
}
