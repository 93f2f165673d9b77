/** /v1/admin/tenants: customers of the operator. */
import { type Static, Type } from 'typebox'
import { toIsoTime } from '../../../lib/clock.ts'
import type { Tenant as TenantRecord } from '../../../tenants/tenant.ts'
import { named, ref, time } from '../schema.wire.ts'

export const TenantSchema = named(
  'Tenant',
  Type.Object({
    id: Type.String({ format: 'uuid' }),
    clientId: Type.String({ description: 'Shown to the tenant as `client_id` in the statistics.' }),
    name: Type.String({ description: 'Unique.' }),
    createdAt: time('When it was created.'),
  }),
)
export type Tenant = Static<typeof TenantSchema>

export const TenantsSchema = named('Tenants', Type.Object({ tenants: Type.Array(ref(TenantSchema)) }))
export type Tenants = Static<typeof TenantsSchema>

export const NewTenantBody = Type.Object({ name: Type.String({ description: 'At most 100 printable characters.' }) })

export function toWireTenant({ id, clientId, name, createdAtMs }: TenantRecord): Tenant {
  return { id, clientId, name, createdAt: toIsoTime(createdAtMs) }
}
