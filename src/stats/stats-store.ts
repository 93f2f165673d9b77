/** Counts per domain, kept current by EventStore.append. Port. */
import type { DomainCounts } from './domain-counts.ts'
import type { HourCount, SeriesQuery } from './series.ts'

export interface StatsStore {
  /**
   * Counts since each domain was added, including days that retention has removed. Domains without events are absent.
   * Includes every append that resolved before the call.
   */
  countsByDomain(domainNumbers: readonly number[]): Promise<ReadonlyMap<number, DomainCounts>>
  /** Counts by hour and group, unordered and without zeros, of retained days. A key may occur several times per hour. */
  countsByHour(query: SeriesQuery): AsyncIterable<readonly HourCount[]>
}
