/** The permissions of a key. Tenant keys read their tenant's data; operator keys act on the whole installation. */

export const TENANT_SCOPES = ['logs', 'domains', 'domainStats'] as const
/** `admin` includes `read`. */
export const OPERATOR_SCOPES = ['ingest', 'admin', 'read'] as const
/** A tenant's key with this scope sends events of the tenant's domains, and has no other scope. */
export const TENANT_INGEST = 'ingest'

export type TenantScope = (typeof TENANT_SCOPES)[number] | typeof TENANT_INGEST
export type OperatorScope = (typeof OPERATOR_SCOPES)[number]
export type Scope = TenantScope | OperatorScope
