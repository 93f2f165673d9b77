/** GET and POST /v1/admin/tenants, POST /v1/admin/tenants/{id}, and its /suspend and /resume. */
import { AppError } from '../../../lib/app-error.ts'
import { createTenant } from '../../../tenants/create-tenant.ts'
import { changeQuotas } from '../../../tenants/limits/quotas.ts'
import type { Tenant } from '../../../tenants/tenant.ts'
import type { AdministrationDeps } from '../../app-deps.ts'
import { type AddAdminRoute, created, json } from '../../routes/route.ts'
import {
  ChangedTenantBody,
  NewTenantBody,
  type TENANT_ORDERS,
  TenantParams,
  TenantSchema,
  TenantsQuery,
  TenantsSchema,
  toWireTenant,
} from './tenants.wire.ts'

type CompareTenants = (one: Tenant, other: Tenant) => number
type CountsOf = (tenant: Tenant) => { readonly domains: number; readonly keys: number }

/** The store lists by name, and sorting keeps that order where the rest is equal. */
const ORDERS: Readonly<Record<(typeof TENANT_ORDERS)[number], (countsOf: CountsOf) => CompareTenants>> = {
  name: () => () => 0,
  '-name': () => (one, other) => (one.name < other.name ? 1 : -1),
  created: () => (one, other) => one.createdAtMs - other.createdAtMs,
  '-created': () => (one, other) => other.createdAtMs - one.createdAtMs,
  '-domains': (countsOf) => (one, other) => countsOf(other).domains - countsOf(one).domains,
  '-keys': (countsOf) => (one, other) => countsOf(other).keys - countsOf(one).keys,
}

function isFoundBy(search: string): (tenant: Tenant) => boolean {
  const text = search.normalize('NFC').toLowerCase()
  return ({ id, clientId, name }) => name.toLowerCase().includes(text) || id === search || clientId === search
}

export function addTenants(route: AddAdminRoute, { storage, clock, eventQuotas }: AdministrationDeps): void {
  const { keys } = storage.control

  route('GET /v1/admin/tenants', {
    operationId: 'listTenants',
    access: { operator: 'read' },
    summary: 'List tenants',
    description: 'With their quotas and what they use of them.',
    query: TenantsQuery,
    answer: json('One page of tenants, or all of them.', TenantsSchema),
    async handle({ query: { search = '', sort, skip, take } }) {
      const uses = await keys.countUse(clock())
      const countsOf = ({ id }: Tenant) => uses.get(id) ?? { domains: 0, keys: 0 }
      const found = (await keys.listTenants()).filter(isFoundBy(search)).sort(ORDERS[sort](countsOf))
      const tenants = []
      for (const tenant of found.slice(skip, take === undefined ? undefined : skip + take)) {
        const eventsToday = (await eventQuotas.find(tenant.id))?.day.used ?? null
        tenants.push({ ...toWireTenant(tenant), use: { ...countsOf(tenant), eventsToday } })
      }
      return { tenants, count: found.length }
    },
  })

  route('POST /v1/admin/tenants', {
    operationId: 'createTenant',
    summary: 'Create a tenant',
    body: NewTenantBody,
    answer: created(TenantSchema),
    refusals: ['invalid_request', 'conflict', 'storage_unavailable'],
    async handle({ body, about }) {
      const { name, quotas = {}, retentionDays = null } = await body()
      about(name)
      const tenant = await createTenant({ keys, clock }, name, changeQuotas(undefined, quotas))
      if (retentionDays !== null) await keys.changeTenant(tenant.id, { retentionDays })
      return toWireTenant(await requireTenant(tenant.id))
    },
  })

  route('POST /v1/admin/tenants/:id', {
    operationId: 'changeTenant',
    summary: 'Change the quotas and the retention of a tenant',
    description:
      'Members that are not sent stay as they are. A quota below the current use removes nothing; it only refuses additions. A shorter ' +
      'retention removes older events within an hour or so, day by day; their counts stay.',
    params: TenantParams,
    body: ChangedTenantBody,
    answer: json('The changed tenant.', TenantSchema),
    refusals: ['storage_unavailable'],
    async handle({ params, body, about }) {
      const before = await requireTenant(params.id)
      about(before.name)
      const { quotas = {}, retentionDays } = await body()
      await keys.changeQuotas(params.id, quotas)
      if (retentionDays !== undefined && retentionDays !== (before.retentionDays ?? null)) {
        await keys.changeTenant(params.id, { retentionDays, expiredToMs: null })
      }
      return toWireTenant(await requireTenant(params.id))
    },
  })

  route('POST /v1/admin/tenants/:id/suspend', {
    operationId: 'suspendTenant',
    summary: 'Suspend a tenant',
    description:
      'Within two seconds, its keys and sessions are refused with 403, its streams and exports end, and its new events are ' +
      'quarantined, from where they can be replayed after it is resumed. Its domains are not checked automatically. Suspending ' +
      'it again has no effect.',
    params: TenantParams,
    answer: json('The suspended tenant.', TenantSchema),
    refusals: ['storage_unavailable'],
    async handle({ params, about }) {
      const { name, suspendedAtMs = clock() } = await requireTenant(params.id)
      about(name)
      await keys.changeTenant(params.id, { suspendedAtMs })
      return toWireTenant(await requireTenant(params.id))
    },
  })

  route('POST /v1/admin/tenants/:id/resume', {
    operationId: 'resumeTenant',
    summary: 'Resume a suspended tenant',
    description: 'Its keys are valid again. Replay the quarantine to store the events that arrived meanwhile.',
    params: TenantParams,
    answer: json('The tenant.', TenantSchema),
    refusals: ['storage_unavailable'],
    async handle({ params, about }) {
      about((await requireTenant(params.id)).name)
      await keys.changeTenant(params.id, { suspendedAtMs: null })
      return toWireTenant(await requireTenant(params.id))
    },
  })

  async function requireTenant(id: string): Promise<Tenant> {
    const tenant = await keys.findTenant(id)
    if (!tenant) throw new AppError('not_found', 'Tenant not found')
    return tenant
  }
}
