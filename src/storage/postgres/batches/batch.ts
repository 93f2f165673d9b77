/** Decided events of one shard, which can only be applied. */

/** What a decision is made of, before it has numbers. */
export interface BatchDraft {
  readonly events: number
  /** Different for every batch. */
  readonly token: string
  readonly domainNumbers: ReadonlySet<number>
  /** What is to be inserted, except for the numbers of its events: anyone who reads it inserts the same bytes. */
  readonly payload: Uint8Array
  /** What it adds to the counts of closed days. */
  readonly closedCounts: readonly ClosedCount[]
}

/** What is counted of a domain. */
export interface Counters {
  readonly bounce: number
  readonly delivery: number
  readonly reception: number
}

/** Of days that are closed. */
export interface ClosedCount extends Counters {
  readonly domain: number
}

export interface Batch {
  readonly shard: number
  /** Its events have the numbers first … first + events - 1. */
  readonly first: number
  readonly events: number
  readonly token: string
  /** Undefined if they were too many to name. */
  readonly domainNumbers: ReadonlySet<number> | undefined
  readonly payload: Uint8Array
}

/** What may be decided: read in the transaction that decides, so that it holds when the decision does. */
export interface DecisionRules {
  /** YYYY-MM-DD. Events of days before it have expired. */
  readonly cutDay: string
  /** YYYY-MM-DD. The counts of this day and those before it are summed up; undefined if there is none. */
  readonly closedDay: string | undefined
  /** Of the domains that were asked about. */
  readonly removedDomains: ReadonlySet<number>
}

/** How far the log is complete. */
export interface Horizon {
  /** The number of the next event that is decided. */
  readonly next: number
  /** The first number of the oldest unfinished batch of each shard that has one. */
  readonly unfinished: ReadonlyMap<number, number>
}

/** Domains that are named in a batch and in its announcement. A notice of PostgreSQL has at most 8,000 bytes. */
export const NAMED_DOMAINS_MAX = 500
