/** The permissions of a key. Tenant keys read their tenant's data; operator keys act on the whole installation. */

export const TENANT_SCOPES = ['logs', 'domains', 'domainStats'] as const
/** A tenant's key with this scope adds domains, where the operator allows it. Never granted by default: the others only read. */
export const TENANT_ADDS_DOMAINS = 'addDomains'
/** `admin` includes `read`. */
export const OPERATOR_SCOPES = ['ingest', 'admin', 'read'] as const
/** A tenant's key with this scope sends events of the tenant's domains, and has no other scope. */
export const TENANT_INGEST = 'ingest'

/** Those of people; keys of mail servers have only `ingest`. */
export const TENANT_PEOPLE_SCOPES = [...TENANT_SCOPES, TENANT_ADDS_DOMAINS] as const
export const ALL_TENANT_SCOPES = [...TENANT_PEOPLE_SCOPES, TENANT_INGEST] as const

export type TenantScope = (typeof ALL_TENANT_SCOPES)[number]
export type OperatorScope = (typeof OPERATOR_SCOPES)[number]
export type Scope = TenantScope | OperatorScope
