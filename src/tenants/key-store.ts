/** Tenants and their API keys. Port. */
import type { Scope } from './scope.ts'
import type { Tenant } from './tenant.ts'

export interface ApiKeyRecord {
  /** The public part of the key, also its handle on the command line. */
  readonly id: string
  /** SHA-256 of the secret part; the secret itself is never stored. */
  readonly secretHash: Uint8Array
  /** Absent for operator keys. */
  readonly tenant?: Tenant
  readonly scopes: readonly Scope[]
  readonly createdAtMs: number
  readonly lastUsedAtMs?: number
  readonly revokedAtMs?: number
}

export interface NewApiKey {
  readonly id: string
  readonly secretHash: Uint8Array
  readonly tenantId?: string
  readonly scopes: readonly Scope[]
  readonly createdAtMs: number
}

export interface KeyStore {
  /** Throws AppError `conflict` if the name is taken. */
  createTenant(tenant: Tenant): Promise<void>
  findTenantByName(name: string): Promise<Tenant | undefined>
  listTenants(): Promise<readonly Tenant[]>
  createKey(key: NewApiKey): Promise<void>
  /** Includes revoked keys; the caller decides. */
  findKey(id: string): Promise<ApiKeyRecord | undefined>
  listKeys(): Promise<readonly ApiKeyRecord[]>
  /** False if there is no such key. A second call keeps the time of the first. */
  revokeKey(id: string, nowMs: number): Promise<boolean>
  recordKeyUse(lastUseMsByKeyId: ReadonlyMap<string, number>): Promise<void>
}
