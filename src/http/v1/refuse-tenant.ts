/**
 * Refuses the parameter `tenant` on the endpoints of tenants. A key reads its own tenant's data there, so the parameter could only be
 * ignored, and whoever sent it would take the response for the data of the tenant that it names.
 */
import type { FastifyInstance } from 'fastify'
import { AppError } from '../../lib/app-error.ts'

/** Must be called before any route is added. */
export function refuseTenantParameter(scope: FastifyInstance): void {
  scope.addHook('preHandler', async ({ query, routeOptions }) => {
    const { access } = routeOptions.config
    if (typeof access !== 'object' || access.tenant === undefined) return
    if (!Object.hasOwn(query as object, 'tenant')) return
    throw new AppError(
      'forbidden',
      "The parameter tenant is not for a tenant's key: the endpoint returns the data of the key's own tenant. An operator names a tenant under /v1/admin.",
    )
  })
}
