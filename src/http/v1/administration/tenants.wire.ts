/** /v1/admin/tenants: customers of the operator. */
import { toIsoTime } from '../../../lib/clock.ts'
import * as t from '../../../lib/json-schema.ts'
import type { Tenant as TenantRecord } from '../../../tenants/tenant.ts'

export const TenantSchema = t.named('Tenant', {
  id: t.text(undefined, { format: 'uuid' }),
  clientId: t.text('Shown to the tenant as `client_id` in the statistics.'),
  name: t.text('Unique.'),
  createdAt: t.time('When it was created.'),
})
export type Tenant = t.Static<typeof TenantSchema>

export const TenantsSchema = t.named('Tenants', { tenants: t.list(t.ref(TenantSchema)) })
export type Tenants = t.Static<typeof TenantsSchema>

export const NewTenantBody = t.object({ name: t.text('At most 100 printable characters.') })

export function toWireTenant({ id, clientId, name, createdAtMs }: TenantRecord): Tenant {
  return { id, clientId, name, createdAt: toIsoTime(createdAtMs) }
}
