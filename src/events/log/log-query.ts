/** A checked query of the log of one or more domains, and the page that answers it. */
import type { EventType } from '../event.ts'

/** Response codes, both ends inclusive. */
export interface CodeRange {
  readonly from: number
  readonly to: number
}

/** The fields of a message that are searched for texts. */
export type SearchedField = 'recipient' | 'sender' | 'from' | 'subject'

/** A literal substring of one of the fields, letter case ignored; or one of the ids is the message's whole id. */
export interface TextFilter {
  readonly text: string
  readonly fields: readonly SearchedField[]
  readonly ids?: readonly string[]
}

/** Filters are combined with AND, the values of one filter with OR. No list and no text is empty. */
export interface LogFilters {
  readonly types?: readonly EventType[]
  readonly codes?: readonly CodeRange[]
  /** Exact. */
  readonly providers?: readonly string[]
  /** Exact. */
  readonly classifications?: readonly string[]
  /** Exact. */
  readonly sendingAddresses?: readonly string[]
  readonly sendingSources?: readonly string[]
  readonly sendingPools?: readonly string[]
  /** A literal substring of recipient, sender, From or subject, letter case ignored; or the message's whole id. */
  readonly anyText?: string
  /** Further texts: each of them. */
  readonly texts?: readonly TextFilter[]
  /** Literal substrings of `response_content`: each of them. The case of ASCII letters is ignored. */
  readonly answers?: readonly string[]
  /** Exact: the masked text of `response_content` (maskReply). */
  readonly replies?: readonly string[]
  readonly without?: LogExclusions
  /** Literal substrings, letter case ignored. */
  readonly recipient?: string
  readonly sender?: string
  readonly from?: string
  readonly subject?: string
  /** Exact. */
  readonly messageId?: string
}

/** Events to leave out: those to which any of the values applies. No list and no text is empty. */
export type LogExclusions = Pick<
  LogFilters,
  | 'types'
  | 'codes'
  | 'providers'
  | 'classifications'
  | 'sendingAddresses'
  | 'sendingSources'
  | 'sendingPools'
  | 'texts'
  | 'answers'
  | 'replies'
>

/** Unix seconds, both ends inclusive, start <= end. */
export interface LogWindow {
  readonly startTimestamp: number
  readonly endTimestamp: number
}

/** The caller's right to read it was checked before. */
export interface LogDomain {
  readonly number: number
  readonly name: string
}

/** A position in the order of the log. Opaque: made and read by the engine alone, and valid on every server of an installation. */
export type LogPosition = string

/**
 * Which fields of an event are in its text: those of the interface with what our own tracking adds; `next_attempt` as well; or
 * that and where the message was sent from. Not every reader may know the last: the default is the least.
 */
export type ShownFields = 'interface' | 'attempts' | 'sending'

/** Whose share of the reading capacity is used. */
export interface ReadShare {
  /** Absent for the service's own work. Beyond a number of reads at a time, a tenant's are refused with `too_many_reads`. */
  readonly tenantId?: string
  /** Part of a response that has begun: it may wait, but is not refused because of the tenant's other reads. */
  readonly isContinuation?: boolean
  /** Aborts when the caller has gone away: the read may then end early and reject. */
  readonly signal?: AbortSignal | undefined
}

export interface PageQuery extends ReadShare {
  readonly domains: readonly LogDomain[]
  readonly limit: number
  readonly shown?: ShownFields
  /** Only events after this position in the order, that is older ones. */
  readonly after?: LogPosition
  /** How long the engine may search before it answers with what it found and a position to continue from. */
  readonly budgetMs: number
}

export interface LogQuery extends PageQuery {
  readonly filters: LogFilters
  readonly window: LogWindow
}

export interface MessageQuery extends PageQuery {
  readonly messageId: string
}

/** An event as the JSON text of one object with the names of section 2.1 of the interface, and the extension's as far as they are shown. A page is never parsed on its way out. */
export type EventText = string

export interface LogPage {
  /** Newest first. May be short, or empty, although `next` is present: the budget ran out. */
  readonly events: readonly EventText[]
  /** Where the next page starts; absent exactly when the end is reached. */
  readonly next?: LogPosition
  /** Unix seconds: the window was searched from its end back to here. Only with `next`. */
  readonly searchedTo?: number
}
