/** The log over several domains at once, and in order of arrival. Port; the adapters are under storage/. */
import type { EventText } from './event-query.ts'
import type { LogConditions, LogDomain, LogPage, LogQuery } from './log-query.ts'

/**
 * A place in the order in which events were stored, whatever their own time: a text that only the store understands. It
 * stays valid over restarts. It may tell about all tenants, so nobody else gets to read it.
 */
export type ArrivalPlace = string

export interface ArrivalQuery {
  readonly domains: readonly LogDomain[]
  readonly conditions: LogConditions
  readonly after: ArrivalPlace
  readonly limit: number
  readonly budgetMs: number
}

export interface Arrivals {
  /** In order of arrival within each day, each with the place behind it. */
  readonly events: readonly { readonly text: EventText; readonly place: ArrivalPlace }[]
  /** Behind everything that was looked at. */
  readonly place: ArrivalPlace
  /** Limit or budget ended the search: ask again at once. */
  readonly hasMore: boolean
}

export interface TenantLog {
  /** In the order of the log: timestamp descending, then arrival descending, over all domains together. */
  list(query: LogQuery): Promise<LogPage>
  /** The newest events with this message id, newest first, at most so many. */
  listByMessage(domains: readonly LogDomain[], messageId: string, limit: number): Promise<readonly EventText[]>
  /** Behind everything stored so far. */
  lastArrival(): Promise<ArrivalPlace>
  /** Each event that was stored behind the place exactly once. Throws AppError `invalid_cursor` for what is no place. */
  listArrivals(query: ArrivalQuery): Promise<Arrivals>
  /** Called after this process has stored something. What other processes store is found by asking again. */
  onArrival(listener: () => void): Disposable
}
