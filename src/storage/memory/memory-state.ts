/** The data of the in-memory engine. Several handles may share it, as several servers share a database. */
import { randomBytes } from 'node:crypto'
import type { Domain } from '../../domains/domain.ts'
import type { QuarantinedRecord } from '../../events/ingest/quarantine-store.ts'
import type { AttributedEvent } from '../../events/log/event-log.ts'
import type { DomainCounts } from '../../stats/domain-counts.ts'
import type { ApiKeyRecord } from '../../tenants/key-store.ts'
import type { Tenant } from '../../tenants/tenant.ts'

export interface StoredEvent extends AttributedEvent {
  /** Increasing; never changed or reused. */
  readonly arrival: number
  readonly day: string
}

export interface MemoryState {
  events: readonly StoredEvent[]
  /** By all fields, which decide whether two events are equal. */
  readonly known: Set<string>
  readonly removedDays: Set<string>
  readonly counts: Map<number, DomainCounts>
  lastArrival: number
  readonly listeners: Set<() => void>
  readonly tenants: Map<string, Tenant>
  readonly keys: Map<string, ApiKeyRecord>
  readonly domains: Map<string, Domain>
  lastDomainNumber: number
  /** Until when each claimed domain is somebody's to check. */
  readonly claims: Map<string, number>
  quarantine: readonly QuarantinedRecord[]
  lastQuarantineId: number
  readonly secret: Buffer
  /** While true, every write fails. */
  isBroken: boolean
}

export function createMemoryState(): MemoryState {
  return {
    events: [],
    known: new Set(),
    removedDays: new Set(),
    counts: new Map(),
    lastArrival: 0,
    listeners: new Set(),
    tenants: new Map(),
    keys: new Map(),
    domains: new Map(),
    lastDomainNumber: 0,
    claims: new Map(),
    quarantine: [],
    lastQuarantineId: 0,
    secret: randomBytes(32),
    isBroken: false,
  }
}
