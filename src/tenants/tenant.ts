/** A customer of the operator: owns sender domains and the keys that read them. */
import type { Quotas } from './limits/quotas.ts'

export interface Tenant {
  /** UUID. */
  readonly id: string
  /** Shown to the tenant as `client_id` in the statistics. */
  readonly clientId: string
  /** Unique; what the operator types on the command line. */
  readonly name: string
  readonly createdAtMs: number
  /** Absent: none. */
  readonly quotas?: Quotas
  /** While suspended, its keys are refused and its events are quarantined. Absent: it is not. */
  readonly suspendedAtMs?: number
  /** Its events are removed after this many days. Absent: with those of all others. */
  readonly retentionDays?: number
  /** Internal: events before this were removed by that retention. */
  readonly expiredToMs?: number
}

/** Null removes a value; absent leaves it as it is. */
export interface TenantChange {
  readonly suspendedAtMs?: number | null
  readonly retentionDays?: number | null
  readonly expiredToMs?: number | null
}

/** The longest retention: a hundred years. */
export const RETENTION_DAYS_MAX = 36_500
