/** GET /domain/stats: counts for every domain of the tenant. */
import type { FastifyInstance } from 'fastify'
import { toIsoTime } from '../../lib/clock.ts'
import { getDomainStats } from '../../stats/get-domain-stats.ts'
import { MissingDays } from '../answers/incomplete.ts'
import type { AppDeps } from '../app-deps.ts'
import { describeRoutes } from '../docs/openapi.ts'
import { READ_REFUSALS } from '../routes/refusals.ts'
import { json, routesOf } from '../routes/route.ts'
import { TenantStatsSchema } from './get-domain-stats.wire.ts'

export async function addStatsSurface(scope: FastifyInstance, { storage }: AppDeps): Promise<void> {
  await describeRoutes(scope, 'stats')
  routesOf(scope, 'stats', { tenant: 'domainStats' })('GET /domain/stats', {
    operationId: 'getTenantStatistics',
    summary: 'Get tenant statistics',
    description: 'Bounce, delivery and reception counts of every domain of the tenant, in real time.',
    answer: json('The counts.', TenantStatsSchema),
    refusals: READ_REFUSALS,
    async handle({ caller: { tenantId, clientId }, reply }) {
      const missing = new MissingDays(storage)
      const stats = await getDomainStats({ counts: storage.log, domains: storage.control.domains }, tenantId)
      missing.nameIn(reply)
      const domains = stats.map(({ name, counts: { bounce, delivery, reception }, changedAtMs }) => {
        const lastUpdated = changedAtMs === undefined ? null : toIsoTime(changedAtMs)
        return [name, { counts: { bounce, delivery, reception }, lastUpdated }] as const
      })
      return { client_id: clientId, domains: Object.fromEntries(domains), total_domains: stats.length }
    },
  })
}
