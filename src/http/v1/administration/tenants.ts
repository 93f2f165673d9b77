/** GET and POST /v1/admin/tenants, POST /v1/admin/tenants/{id}. */
import { AppError } from '../../../lib/app-error.ts'
import { createTenant } from '../../../tenants/create-tenant.ts'
import { changeQuotas } from '../../../tenants/limits/quotas.ts'
import type { AdministrationDeps } from '../../app-deps.ts'
import { type AddAdminRoute, created, json } from '../../routes/route.ts'
import {
  ChangedTenantBody,
  NewTenantBody,
  TenantParams,
  TenantSchema,
  TenantsSchema,
  toWireTenant,
} from './tenants.wire.ts'

export function addTenants(route: AddAdminRoute, { storage, clock, eventQuotas }: AdministrationDeps): void {
  const { keys } = storage.control

  route('GET /v1/admin/tenants', {
    operationId: 'listTenants',
    access: { operator: 'read' },
    summary: 'List tenants',
    description: 'With their quotas and what they use of them.',
    answer: json('The tenants, by name.', TenantsSchema),
    async handle() {
      const uses = await keys.countUse(clock())
      const tenants = []
      for (const tenant of await keys.listTenants()) {
        const eventsToday = (await eventQuotas.find(tenant.id))?.day.used ?? null
        const use = { ...(uses.get(tenant.id) ?? { domains: 0, keys: 0 }), eventsToday }
        tenants.push({ ...toWireTenant(tenant), use })
      }
      return { tenants }
    },
  })

  route('POST /v1/admin/tenants', {
    operationId: 'createTenant',
    summary: 'Create a tenant',
    body: NewTenantBody,
    answer: created(TenantSchema),
    refusals: ['invalid_request', 'conflict', 'storage_unavailable'],
    async handle({ body, about }) {
      const { name, quotas = {} } = await body()
      about(name)
      return toWireTenant(await createTenant({ keys, clock }, name, changeQuotas(undefined, quotas)))
    },
  })

  route('POST /v1/admin/tenants/:id', {
    operationId: 'changeTenant',
    summary: 'Change the quotas of a tenant',
    description:
      'Quotas that are not sent stay as they are. A quota below the present use removes nothing; it only refuses additions.',
    params: TenantParams,
    body: ChangedTenantBody,
    answer: json('The changed tenant.', TenantSchema),
    refusals: ['storage_unavailable'],
    async handle({ params, body }) {
      const { quotas } = await body()
      const tenant = (await keys.changeQuotas(params.id, quotas)) ? await keys.findTenant(params.id) : undefined
      if (!tenant) throw new AppError('not_found', 'Tenant not found')
      return toWireTenant(tenant)
    },
  })
}
