/** What a tenant may use of the installation. */
import { AppError } from '../../lib/app-error.ts'

/** Absent: unlimited. */
export interface Quotas {
  readonly domains?: number
  /** Keys that are neither revoked nor expired. */
  readonly keys?: number
  /** Events that are ingested with keys in one UTC day. */
  readonly eventsPerDay?: number
}

/** Null removes a quota; absent leaves it as it is. */
export type QuotaChange = { readonly [Name in keyof Quotas]?: Quotas[Name] | null }

export interface TenantUse {
  readonly domains: number
  readonly keys: number
}

/** The largest quota. */
export const QUOTA_MAX = 1_000_000_000_000

/** To be called in the transaction that adds one. Throws AppError `quota_exceeded`. */
export function requireRoom(what: 'domains' | 'keys', quota: number | undefined, used: number): void {
  if (quota === undefined || used < quota) return
  throw new AppError(
    'quota_exceeded',
    `The tenant has ${used} ${what}, and its quota is ${quota}; nothing was created. Raise the quota to add more.`,
  )
}

/** The quotas after a change; undefined if none is left. */
export function changeQuotas(quotas: Quotas | undefined, change: QuotaChange): Quotas | undefined {
  const changed = Object.entries({ ...quotas, ...change }).filter(([, quota]) => (quota ?? null) !== null)
  return changed.length === 0 ? undefined : Object.fromEntries(changed)
}
