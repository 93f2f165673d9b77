/** Counts of events, kept by the engine of the log. Port: what EventLog.append stored is in the next answer. */
import type { DomainCounts } from './domain-counts.ts'
import type { HourCount, SeriesQuery } from './series.ts'

export interface EventCounts {
  /**
   * Counts since each domain was added, those of removed events included. Domains without events are absent. `tenantId`: as
   * that of ReadShare.
   */
  counts(domainNumbers: readonly number[], tenantId?: string): Promise<ReadonlyMap<number, DomainCounts>>
  /** Counts by hour and group of retained events, unordered, without zeros. A key may occur several times an hour. */
  series(query: SeriesQuery): AsyncIterable<readonly HourCount[]>
}
