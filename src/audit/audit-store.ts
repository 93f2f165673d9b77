/** The audit log. Port. */
import type { AuditEntry, AuditKind, AuditOutcome, NewAuditEntry } from './audit-entry.ts'

/** When a kind has more entries than this, its oldest are removed. */
export const AUDIT_ENTRIES_MAX: Readonly<Record<AuditKind, number>> = {
  administration: 1_000_000,
  session: 100_000,
  reading: 100_000,
  denied: 100_000,
}

/** Entries that one call examines at most, whatever the filters: a search never holds up other requests. */
export const AUDIT_SCAN_MAX = 5000

export interface AuditFilters {
  /** Entries that end at or after this time. */
  readonly fromMs?: number
  /** Entries that begin before this time. */
  readonly toMs?: number
  readonly kind?: AuditKind
  /** Id of a key, or name of a local user. */
  readonly actor?: string
  readonly action?: string
  readonly outcome?: AuditOutcome
}

export interface AuditQuery {
  readonly filters: AuditFilters
  /** Only entries with a smaller id. Absent: from the newest. */
  readonly beforeId?: number
  readonly limit: number
}

export interface AuditPage {
  /** Newest first. May be short, or empty, and not the last page. */
  readonly entries: readonly AuditEntry[]
  /** `beforeId` of the next page; absent on the last one. */
  readonly nextBeforeId?: number
}

export interface AuditStore {
  /** Durable when it resolves. Removes the oldest entries of a kind that has too many. */
  add(entries: readonly NewAuditEntry[]): Promise<void>
  list(query: AuditQuery): Promise<AuditPage>
  /** Removes at most `limit` entries that ended before the given time; returns how many. */
  removeOlderThan(timeMs: number, limit: number): Promise<number>
}
