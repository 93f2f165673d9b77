/** Everything that is kept, behind one handle. */
import type { DomainStore } from '../domains/domain-store.ts'
import type { EventStore } from '../events/event-store.ts'
import type { QuarantineStore } from '../events/quarantine-store.ts'
import type { TenantLog } from '../events/tenant-log.ts'
import type { StatsStore } from '../stats/stats-store.ts'
import type { KeyStore } from '../tenants/key-store.ts'

export interface StorageHealth {
  readonly writable: boolean
  /** Events accepted from callers and not yet committed. */
  readonly queuedEvents: number
  readonly dayFiles: number
}

/** What one day takes. */
export interface DayUse {
  /** YYYY-MM-DD, UTC. */
  readonly day: string
  readonly bytes: number
  readonly events: number
}

export interface Storage {
  readonly events: EventStore
  readonly log: TenantLog
  readonly stats: StatsStore
  readonly domains: DomainStore
  readonly keys: KeyStore
  readonly quarantine: QuarantineStore
  health(): StorageHealth
  /** Newest first. */
  listDays(): Promise<readonly DayUse[]>
  /** The time of the newest event, Unix seconds; undefined where there is none. */
  findNewestTimestamp(): Promise<number | undefined>
  /** Removes whole days that ended before the given time; their counts stay. Returns the days removed (YYYY-MM-DD). */
  removeDaysBefore(timeMs: number): Promise<readonly string[]>
  /** A consistent copy of everything, taken while the service runs, into an empty or new folder. */
  backup(folder: string, onProgress?: (file: string) => void): Promise<void>
  /** Counts the events again and compares; an empty list means that every counter is right. */
  recount(): Promise<readonly string[]>
  /** Commits what was accepted, then closes. */
  close(): Promise<void>
}
