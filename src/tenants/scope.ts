/** The permissions of a key. Tenant keys read their tenant's data; operator keys act on the whole installation. */

export const TENANT_SCOPES = ['logs', 'domains', 'domainStats'] as const
export const OPERATOR_SCOPES = ['ingest', 'admin'] as const

export type TenantScope = (typeof TENANT_SCOPES)[number]
export type OperatorScope = (typeof OPERATOR_SCOPES)[number]
export type Scope = TenantScope | OperatorScope
