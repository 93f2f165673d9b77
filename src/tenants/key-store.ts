/** Tenants and their API keys. Port. */
import type { KeyChange, KeyLimits } from './limits/key-limits.ts'
import type { QuotaChange, TenantUse } from './limits/quotas.ts'
import type { Scope } from './scope.ts'
import type { Tenant, TenantChange } from './tenant.ts'

export interface ApiKeyRecord extends KeyLimits {
  /** The public part of the key, also its handle on the command line. */
  readonly id: string
  /** SHA-256 of the secret part; the secret itself is never stored. */
  readonly secretHash: Uint8Array
  /** Absent for operator keys. */
  readonly tenant?: Omit<Tenant, 'quotas' | 'retentionDays' | 'expiredToMs'>
  readonly scopes: readonly Scope[]
  readonly createdAtMs: number
  readonly lastUsedAtMs?: number
  readonly revokedAtMs?: number
}

export interface NewApiKey extends KeyLimits {
  readonly id: string
  readonly secretHash: Uint8Array
  readonly tenantId?: string
  readonly scopes: readonly Scope[]
  readonly createdAtMs: number
}

export interface KeyStore {
  /** Throws AppError `conflict` if the name is taken. */
  createTenant(tenant: Tenant): Promise<void>
  findTenant(id: string): Promise<Tenant | undefined>
  findTenantByName(name: string): Promise<Tenant | undefined>
  listTenants(): Promise<readonly Tenant[]>
  /** False if there is no such tenant. */
  changeQuotas(tenantId: string, change: QuotaChange): Promise<boolean>
  /** False if there is no such tenant. */
  changeTenant(tenantId: string, change: TenantChange): Promise<boolean>
  /** By tenant id; tenants without domains and keys are absent. */
  countUse(nowMs: number): Promise<ReadonlyMap<string, TenantUse>>
  /** Of one tenant. */
  countUseOf(tenantId: string, nowMs: number): Promise<TenantUse>
  /** Throws AppError `quota_exceeded` if the tenant has as many valid keys as it may have. */
  createKey(key: NewApiKey): Promise<void>
  /** Includes revoked and expired keys; the caller decides. */
  findKey(id: string): Promise<ApiKeyRecord | undefined>
  listKeys(): Promise<readonly ApiKeyRecord[]>
  /** False if there is no such key, or if it is revoked or expired. */
  changeKey(id: string, change: KeyChange, nowMs: number): Promise<boolean>
  /** False if there is no such key. A second call keeps the time of the first. */
  revokeKey(id: string, nowMs: number): Promise<boolean>
  /** The latest counts, except for one that is more than a day later than a new one: a wrong clock has recorded it. */
  recordKeyUse(lastUseMsByKeyId: ReadonlyMap<string, number>): Promise<void>
}
