/** /v1/admin/tenants: customers of the operator. */
import { toIsoTime } from '../../../lib/clock.ts'
import * as t from '../../../lib/json-schema.ts'
import { QUOTA_MAX } from '../../../tenants/limits/quotas.ts'
import { RETENTION_DAYS_MAX, type Tenant as TenantRecord } from '../../../tenants/tenant.ts'

const LIMITS = { minimum: 0, maximum: QUOTA_MAX }
const quota = (description: string) => t.orNull('integer', `${description} Null: no quota.`, LIMITS)

export const QUOTAS = {
  domains: quota('Sender domains.'),
  keys: quota('API keys that are neither revoked nor expired.'),
  eventsPerDay: quota('Events that are ingested in one UTC day.'),
}

const RETENTION_DAYS = t.orNull(
  'integer',
  'Its events are removed after this many days, if the retention of the installation does not remove them earlier. Null: ' +
    'only by that.',
  { minimum: 1, maximum: RETENTION_DAYS_MAX },
)

export const TenantSchema = t.named('Tenant', {
  id: t.text(undefined, { format: 'uuid' }),
  clientId: t.text('Shown to the tenant as `client_id` in the statistics.'),
  name: t.text('Unique.'),
  createdAt: t.time('When it was created.'),
  quotas: t.object(QUOTAS, 'The limits of the tenant.'),
  suspendedAt: t.timeOrNull('While it is suspended: since when. Null otherwise.'),
  retentionDays: RETENTION_DAYS,
})
export type Tenant = t.Static<typeof TenantSchema>

export const Use = t.object(
  {
    domains: t.count(),
    keys: t.count('Keys that are neither revoked nor expired.'),
    eventsToday: t.orNull(
      'integer',
      'Events that were ingested since midnight UTC. After a restart of the server: those stored with a time of today. ' +
        'Null if the tenant has no quota of events.',
    ),
  },
  'What the tenant uses.',
)

export const TenantWithUseSchema = t.named('TenantWithUse', { ...TenantSchema.properties, use: Use })

export const TENANT_ORDERS = ['name', '-name', 'created', '-created', '-domains', '-keys'] as const

export const TenantsQuery = t.object({
  search: t.optional(
    t.text('Only tenants whose name contains this text, in upper or lower case, or whose id or client id it is.', {
      maxLength: 200,
    }),
  ),
  sort: t.preset(
    t.oneOf(TENANT_ORDERS, 'Order: by name, by the time of creation, or by the number of domains or keys.', {
      default: 'name',
    }),
  ),
  skip: t.preset(t.count('Tenants to skip.', { default: 0 })),
  take: t.optional(t.integer('Maximum number of tenants to return. Default: all.', { minimum: 1, maximum: 1000 })),
})

export const TenantsSchema = t.named('Tenants', {
  tenants: t.list(t.ref(TenantWithUseSchema), 'In the requested order.'),
  count: t.count("Number of tenants that match, not the page's length."),
})
export type Tenants = t.Static<typeof TenantsSchema>

const QuotasBody = t.object(
  {
    domains: t.optional(QUOTAS.domains),
    keys: t.optional(QUOTAS.keys),
    eventsPerDay: t.optional(QUOTAS.eventsPerDay),
  },
  'The limits of the tenant.',
  { additionalProperties: false },
)

export const NewTenantBody = t.object({
  name: t.text('At most 100 printable characters.'),
  quotas: t.optional(QuotasBody),
  retentionDays: t.optional(RETENTION_DAYS),
})

export const ChangedTenantBody = t.object({
  quotas: t.optional(QuotasBody),
  retentionDays: t.optional(RETENTION_DAYS),
})

export const TenantParams = t.object({ id: t.text("The tenant's id.") })

export function toWireQuotas(quotas: TenantRecord['quotas']): Tenant['quotas'] {
  return { domains: null, keys: null, eventsPerDay: null, ...quotas }
}

export function toWireTenant({ id, clientId, name, createdAtMs, quotas, ...tenant }: TenantRecord): Tenant {
  const { suspendedAtMs, retentionDays = null } = tenant
  return {
    id,
    clientId,
    name,
    createdAt: toIsoTime(createdAtMs),
    quotas: toWireQuotas(quotas),
    suspendedAt: suspendedAtMs === undefined ? null : toIsoTime(suspendedAtMs),
    retentionDays,
  }
}
