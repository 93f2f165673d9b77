/** The data of the in-memory engine. Several handles may share it, as several servers share a database. */
import type { NewAuditEntry } from '../../audit/audit-entry.ts'
import type { StoredSpf } from '../../domains/checks/report-json.ts'
import type { Domain } from '../../domains/domain.ts'
import type { PastChecks } from '../../domains/verification/check-history.ts'
import type { EmailEvent, EventExtension } from '../../events/event.ts'
import type { QuarantinedRecord } from '../../events/ingest/quarantine-store.ts'
import type { ArrivalListener, AttributedEvent } from '../../events/log/event-log.ts'
import type { Removal } from '../../events/removal/removal.ts'
import type { RetentionState } from '../../events/retention/retention-store.ts'
import type { StoredGeneration } from '../../lib/sealing/secret-store.ts'
import type { DomainCounts } from '../../stats/domain-counts.ts'
import type { ApiKeyRecord } from '../../tenants/key-store.ts'
import type { KeySessions } from '../../tenants/session-store.ts'
import type { Tenant } from '../../tenants/tenant.ts'
import type { SavedView } from '../../tenants/view-store.ts'
import type { Lease } from './memory-shared-state.ts'

export interface StoredEvent extends AttributedEvent {
  /** Increasing; never changed or reused. */
  readonly arrival: number
  readonly day: string
}

/** What an event is counted by. */
export interface Counted {
  readonly domainNumber: number
  readonly day: string
  readonly event: Pick<EmailEvent, 'timestamp' | 'type' | 'provider_name' | 'bounce_classification'>
  readonly extension?: EventExtension
}

/** The two that change when requests are summed. */
type StoredAuditEntry = Omit<NewAuditEntry, 'count' | 'lastTimeMs'> & { id: number; count: number; lastTimeMs: number }

export type MemoryState = ReturnType<typeof createMemoryState>

export function createMemoryState() {
  return {
    events: [] as readonly StoredEvent[],
    /** Keys made of all fields, by which events are compared. */
    known: new Set<string>(),
    removedDays: new Set<string>(),
    /** Origins that are counted, by domain and day. */
    countedOrigins: new Map<string, Set<string>>(),
    counts: new Map<number, DomainCounts>(),
    lastArrival: 0,
    listeners: new Set<ArrivalListener>(),
    tenants: new Map<string, Tenant>(),
    keys: new Map<string, ApiKeyRecord>(),
    domains: new Map<string, Domain>(),
    /** By the id of the domain. */
    spf: new Map<string, StoredSpf>(),
    /** By the id of the domain. */
    checks: new Map<string, readonly PastChecks[]>(),
    lastDomainNumber: 0,
    /** When the claim on each claimed domain expires. */
    claims: new Map<string, number>(),
    quarantine: [] as readonly QuarantinedRecord[],
    lastQuarantineId: 0,
    secretGenerations: [] as readonly StoredGeneration[],
    keySessions: new Map<string, KeySessions>(),
    /** By key and name. */
    views: new Map<string, Map<string, SavedView>>(),
    audit: [] as StoredAuditEntry[],
    lastAuditId: 0,
    removals: new Map<string, Removal>(),
    /** Numbers of removed domains: their events are not stored. */
    removedDomains: new Set<number>(),
    /** Events that were erased, of which only the counts by hour are left. */
    erased: [] as readonly Counted[],
    retention: undefined as RetentionState | undefined,
    settings: new Map<string, Buffer>(),
    leases: new Map<string, Lease>(),
    /** While true, every write fails. */
    isBroken: false,
  }
}

/** A domain goes with everything that is kept under its id. */
export function forgetDomain({ domains, spf, checks, claims }: MemoryState, id: string): void {
  for (const kept of [domains, spf, checks, claims]) kept.delete(id)
}
