/** GET and POST /v1/admin/tenants. */
import { createTenant } from '../../../tenants/create-tenant.ts'
import type { AdministrationDeps } from '../../app-deps.ts'
import { type AddAdminRoute, created, json } from '../../routes/route.ts'
import { NewTenantBody, TenantSchema, TenantsSchema, toWireTenant } from './tenants.wire.ts'

export function addTenants(route: AddAdminRoute, { storage, clock }: AdministrationDeps): void {
  const { keys } = storage.control

  route('GET /v1/admin/tenants', {
    operationId: 'listTenants',
    summary: 'List tenants',
    answer: json('The tenants, by name.', TenantsSchema),
    handle: async () => ({ tenants: (await keys.listTenants()).map(toWireTenant) }),
  })

  route('POST /v1/admin/tenants', {
    operationId: 'createTenant',
    summary: 'Create a tenant',
    body: NewTenantBody,
    answer: created(TenantSchema),
    refusals: ['invalid_request', 'conflict', 'storage_unavailable'],
    async handle({ body, about }) {
      const { name } = await body()
      about(name)
      return toWireTenant(await createTenant({ keys, clock }, name))
    },
  })
}
