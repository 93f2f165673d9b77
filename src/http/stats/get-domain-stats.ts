/** GET /domain/stats: counts for every domain of the tenant. */
import type { FastifyInstance } from 'fastify'
import { getDomainStats } from '../../stats/get-domain-stats.ts'
import { tenantOf } from '../access/access.ts'
import type { AppDeps } from '../app-deps.ts'
import { describeRoutes, jsonResponse, refusals, WITH_KEY } from '../docs/openapi.ts'
import { DomainStatsSchema, TENANT_STATS, TenantStatsSchema, toTenantStats } from './get-domain-stats.wire.ts'

export async function addStatsSurface(scope: FastifyInstance, { storage }: AppDeps): Promise<void> {
  await describeRoutes(scope, 'stats')
  scope.addSchema(DomainStatsSchema)
  scope.addSchema(TenantStatsSchema)
  scope.get(
    '/domain/stats',
    {
      config: { surface: 'stats', access: { tenant: 'domainStats' } },
      schema: {
        operationId: 'getTenantStatistics',
        summary: 'Get tenant statistics',
        description: 'Bounce, delivery and reception counts of every domain of the tenant, in real time.',
        response: {
          200: jsonResponse('The counts.', TENANT_STATS),
          ...refusals(...WITH_KEY, 'not_found'),
        },
      },
    },
    async (request) => {
      const { tenantId, clientId } = tenantOf(request)
      const stats = await getDomainStats({ counts: storage.log, domains: storage.control.domains }, tenantId)
      return toTenantStats(clientId, stats)
    },
  )
}
