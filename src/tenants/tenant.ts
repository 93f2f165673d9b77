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
}
