/** How the tables `tenant` and `api_key` of an SQL engine are read. */
import type { ApiKeyRecord } from '../../tenants/key-store.ts'
import { changeLimits } from '../../tenants/limits/key-limits.ts'
import { changeQuotas, type QuotaChange } from '../../tenants/limits/quotas.ts'
import type { Tenant } from '../../tenants/tenant.ts'

export type TenantRow = Pick<Tenant, 'id' | 'clientId' | 'name' | 'createdAtMs'> & {
  domains: number | null
  keys: number | null
  eventsPerDay: number | null
  suspendedAtMs: number | null
  retentionDays: number | null
  expiredToMs: number | null
}

/** Lists and the tenant are JSON, trusted on reading: only this store writes it, from values of the same types. */
export type KeyRow = Pick<ApiKeyRecord, 'id' | 'secretHash' | 'createdAtMs'> & {
  name: string
  scopes: string
  tenant: string | null
  expiresAtMs: number | null
  networks: string
  lastUsedAtMs: number | null
  revokedAtMs: number | null
}

export function toQuotaColumns({ domains = null, keys = null, eventsPerDay = null }: QuotaChange = {}) {
  return [domains, keys, eventsPerDay] as const
}

export function toTenant({
  domains,
  keys,
  eventsPerDay,
  suspendedAtMs,
  retentionDays,
  expiredToMs,
  ...row
}: TenantRow): Tenant {
  const quotas = changeQuotas(undefined, { domains, keys, eventsPerDay })
  return {
    ...row,
    ...(quotas && { quotas }),
    ...(suspendedAtMs !== null && { suspendedAtMs }),
    ...(retentionDays !== null && { retentionDays }),
    ...(expiredToMs !== null && { expiredToMs }),
  }
}

/** JSON of the tenant of a key: null where it has no such value. */
function parseTenant(json: string): NonNullable<ApiKeyRecord['tenant']> {
  const { suspendedAtMs, ...tenant } = JSON.parse(json)
  return suspendedAtMs === null ? tenant : { ...tenant, suspendedAtMs }
}

export function toKey({
  scopes,
  tenant,
  lastUsedAtMs,
  revokedAtMs,
  name,
  expiresAtMs,
  networks,
  ...row
}: KeyRow): ApiKeyRecord {
  return {
    ...row,
    ...(tenant !== null && { tenant: parseTenant(tenant) }),
    scopes: JSON.parse(scopes),
    ...changeLimits({}, { name, expiresAtMs, networks: JSON.parse(networks) }),
    ...(lastUsedAtMs !== null && { lastUsedAtMs }),
    ...(revokedAtMs !== null && { revokedAtMs }),
  }
}
