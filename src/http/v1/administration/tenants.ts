/** GET and POST /v1/admin/tenants. */
import type { FastifyInstance } from 'fastify'
import { createTenant } from '../../../tenants/create-tenant.ts'
import type { AdministrationDeps } from '../../app-deps.ts'
import { jsonResponse, refusals, WITH_SESSION } from '../../docs/openapi.ts'
import { BODY_REFUSALS, parseJsonBody } from '../json-body.ts'
import { NewTenantBody, TenantSchema, TenantsSchema, toWireTenant } from './tenants.wire.ts'

const config = { surface: 'v1', access: { operator: 'admin' } } as const

export function addAdminTenants(scope: FastifyInstance, { storage, clock }: AdministrationDeps): void {
  const { keys } = storage.control
  scope.addSchema(TenantSchema)
  scope.addSchema(TenantsSchema)

  scope.get(
    '/v1/admin/tenants',
    {
      config,
      schema: {
        operationId: 'listTenants',
        summary: 'List tenants',
        response: { 200: jsonResponse('The tenants, by name.', TenantsSchema.$id), ...refusals(...WITH_SESSION) },
      },
    },
    async () => ({ tenants: (await keys.listTenants()).map(toWireTenant) }),
  )

  scope.post(
    '/v1/admin/tenants',
    {
      config,
      schema: {
        operationId: 'createTenant',
        summary: 'Create a tenant',
        body: NewTenantBody,
        response: {
          201: jsonResponse('Created.', TenantSchema.$id),
          ...refusals(...WITH_SESSION, ...BODY_REFUSALS, 'invalid_request', 'conflict', 'storage_unavailable'),
        },
      },
    },
    async (request, reply) => {
      const { name } = parseJsonBody(NewTenantBody, request.body)
      return reply.code(201).send(toWireTenant(await createTenant({ keys, clock }, name)))
    },
  )
}
