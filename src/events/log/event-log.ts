/**
 * The log. Port; the engines are under storage/, and src/storage/contract/ holds the suites that each of them passes.
 *
 * Equality: two events are the same when their domain, all 23 fields and what our own tracking adds (`url`, `machine`) are
 * equal; absent, null and empty are three different values. An event is stored once however often it is appended, with the
 * origin and the next attempt of its first arrival.
 *
 * Order: timestamp descending, then arrival descending. An event's arrival never changes, so the order within one second is
 * the same in every answer, whatever the filters and the set of domains.
 */
import type { DeliveryTimes, DeliveryTimesQuery } from '../delivery-times/sample-delivery-times.ts'
import type { EmailEvent, EventExtension } from '../event.ts'
import type { Replies, RepliesQuery } from '../replies/count-replies.ts'
import type {
  EventText,
  LogDomain,
  LogFilters,
  LogPage,
  LogQuery,
  MessageQuery,
  ReadShare,
  ShownFields,
} from './log-query.ts'
import type { CountQuery, MatchCounts } from './match-counts.ts'

/** An event whose domain is known to us. */
export interface AttributedEvent {
  readonly domainNumber: number
  readonly event: EmailEvent
  /** Without control characters, and `next_attempt` not before the event. */
  readonly extension?: EventExtension
}

export interface AppendResult {
  readonly stored: number
  /** Events that were stored before, or that occur twice in the same call. Neither counted nor announced again. */
  readonly duplicates: number
  /** Indexes of events older than what retention removed: not stored. */
  readonly expired: readonly number[]
}

export interface EventLog {
  /**
   * Resolves once every event in the result is durable (survives `kill -9` and a power cut), counted, and visible to the
   * next read of any server. Rejects with AppError `storage_unavailable` or `overloaded`; some of the events may be stored
   * then, and repeating the call unchanged stores the rest and nothing twice.
   */
  append(events: readonly AttributedEvent[]): Promise<AppendResult>
  /**
   * Events of one or more domains. Following `next` returns each event stored at the time of the first page exactly once, whatever
   * arrives meanwhile. A read may end early by its budget, also within one second. Throws AppError `invalid_cursor` for a
   * position that the engine did not make, `too_many_reads` or `overloaded` if it may not even wait.
   */
  list(query: LogQuery): Promise<LogPage>
  /** Events with one message id, by the same rules, without a window. */
  listMessage(query: MessageQuery): Promise<LogPage>
  /** What receiving servers replied in the newest events of a kind, by code and masked text. Bounded by number and budget. */
  replies(query: RepliesQuery): Promise<Replies>
  /** How long a sample of deliveries took from reception to delivery. Bounded by number and budget. */
  deliveryTimes(query: DeliveryTimesQuery): Promise<DeliveryTimes>
  /**
   * Counts events of one or more domains that match, newest first until the budget is used up: exact without `countedTo`. Throws as
   * `list` does.
   */
  count(query: CountQuery): Promise<MatchCounts>
  readonly arrivals: Arrivals
  /**
   * Removes events that are older, in units of the engine's choice and never newer ones; their counts stay. Idempotent and
   * safe at any interruption. Later events of the removed time are `expired`. Returns the names of the removed units.
   */
  removeBefore(timeMs: number): Promise<readonly string[]>
  /**
   * Removes events one by one, with everything that the engine derived from them. Does a bounded part of it, while events are
   * appended; `next` of each step continues, also after a restart, and from the start it does no harm either. Once there is no
   * `next`, nothing of them is left on the disk. They are in no page that is requested after the step that removed them;
   * positions and arrivals of other events stay as they are. An erased event that is sent again is stored again.
   */
  erase(erasure: Erasure, after?: ErasurePosition): Promise<ErasureStep>
  /** The time of the newest event, Unix seconds; undefined for an empty log. */
  findNewestTimestamp(): Promise<number | undefined>
}

/** Which events to erase. */
export type Erasure =
  /** All events of removed domains, and their counts. */
  | { readonly what: 'domains'; readonly domainNumbers: readonly number[] }
  /** Events to this address, ignoring letter case, of all domains. Their counts stay. */
  | { readonly what: 'recipient'; readonly address: string }
  /**
   * Events of these domains that are older, in units of the engine's choice and never newer ones. Their counts stay. With `fromMs`,
   * only units that ended after it: the others were examined before.
   */
  | {
      readonly what: 'expired'
      readonly domainNumbers: readonly number[]
      readonly beforeMs: number
      readonly fromMs?: number
    }

/** How far an erasure has come. Opaque. */
export type ErasurePosition = string

export interface ErasureStep {
  /** Events that this step removed. */
  readonly removed: number
  /** The name of the unit that they were in. */
  readonly unit?: string
  /** Why the unit cannot be examined; it is left out. */
  readonly problem?: string
  /** Files of the unit that were deleted as a whole, because nothing can be removed from them. */
  readonly deletedFiles?: readonly string[]
  /** Nothing can be done at the moment, because the unit is being written: continue later. */
  readonly isWaiting?: boolean
  /** Absent at the end. */
  readonly next?: ErasurePosition
}

/**
 * A position in the order in which events were stored, whatever their own time. Opaque like LogPosition; it stays valid over
 * restarts and on every server of an installation. It may reveal something about all tenants, so clients only see it sealed.
 */
export type ArrivalPosition = string

export interface ArrivalQuery extends Pick<ReadShare, 'tenantId'> {
  readonly domains: readonly LogDomain[]
  readonly filters: LogFilters
  readonly shown?: ShownFields
  readonly after: ArrivalPosition
  readonly limit: number
  readonly budgetMs: number
}

export interface ArrivalPage {
  /** Each with the position after it. */
  readonly events: readonly { readonly text: EventText; readonly position: ArrivalPosition }[]
  /** After everything that was examined. */
  readonly position: ArrivalPosition
  /** Limit or budget ended the search, or something may have arrived since: ask again at once. */
  readonly hasMore: boolean
}

export type ArrivalListener = (domainNumbers: ReadonlySet<number> | undefined) => void

export interface Arrivals {
  /** The position after everything stored so far. */
  last(tenantId?: string): Promise<ArrivalPosition>
  /** Each event stored after the position exactly once, late ones too. Throws AppError `invalid_cursor`. */
  list(query: ArrivalQuery): Promise<ArrivalPage>
  /**
   * Called after events were stored, by any server of the installation, with the numbers of their domains; with undefined if
   * the engine does not know them. Every event after `last()` is announced.
   */
  onArrival(listener: ArrivalListener): Disposable
}
