/** Counts per domain, kept current by EventStore.append. Port. */
import type { DomainCounts } from './domain-counts.ts'
import type { HourCount, SeriesQuery } from './series.ts'

export interface StatsStore {
  /**
   * Counts since each domain was added, those of removed days included. Domains without events are absent.
   * Includes every append that has resolved before the call.
   */
  countsByDomain(domainNumbers: readonly number[]): Promise<ReadonlyMap<number, DomainCounts>>
  /** Counts by hour and group, in no order and without zeros, from days that are kept. A key may occur several times an hour. */
  countsByHour(query: SeriesQuery): AsyncIterable<readonly HourCount[]>
}
