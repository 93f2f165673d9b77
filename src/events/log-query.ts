/** What somebody wants to see of the log of several domains, already checked. */
import type { EventType } from './event.ts'
import type { EventPosition, EventText } from './event-query.ts'

/** Response codes, both ends inclusive. */
export interface CodeRange {
  readonly from: number
  readonly to: number
}

/** What an event has to be like; all that is given has to hold, of several values one. No list and no text is empty. */
export interface LogConditions {
  readonly types?: readonly EventType[]
  readonly codes?: readonly CodeRange[]
  /** Exact. */
  readonly providers?: readonly string[]
  /** Exact. */
  readonly classifications?: readonly string[]
  /** In recipient, sender, From or subject, literally and with letter case ignored; or the message's id. */
  readonly anyText?: string
  /** Literal substrings, letter case ignored. */
  readonly recipient?: string
  readonly sender?: string
  readonly from?: string
  readonly subject?: string
  readonly messageId?: string
}

/** Unix seconds, both ends inclusive. */
export interface LogWindow {
  readonly startTimestamp: number
  readonly endTimestamp: number
}

/** Who may ask for it was decided before. */
export interface LogDomain {
  readonly number: number
  readonly name: string
}

export interface LogQuery {
  readonly domains: readonly LogDomain[]
  readonly conditions: LogConditions
  readonly window: LogWindow
  readonly limit: number
  /** Only events that come after this position in the order, that is: older ones. */
  readonly after?: EventPosition
  /** How long the store may search before it answers with what it found. */
  readonly budgetMs: number
}

export interface LogPage {
  /** Newest first. May be short, or empty, although `next` is present: the budget ran out. */
  readonly events: readonly EventText[]
  /** Where the next page starts; absent exactly when the end is reached. */
  readonly next?: EventPosition
}
