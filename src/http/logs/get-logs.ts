/** GET /logs/{domain}: the alternative log path, without pagination. */
import type { FastifyInstance } from 'fastify'
import { listRecentEvents } from '../../events/log/list-recent-events.ts'
import { tenantOf } from '../access/access.ts'
import type { AppDeps } from '../app-deps.ts'
import { jsonResponse, refusals, WITH_KEY } from '../docs/openapi.ts'
import {
  parseRecentLogQuery,
  RECENT_LOG,
  RECENT_TYPES,
  RecentEventSchema,
  RecentLogQuery,
  RecentLogSchema,
  toRecentLog,
} from './get-logs.wire.ts'
import { addWithoutDomain } from './get-webhooks.ts'
import { DomainParams } from './get-webhooks.wire.ts'

export function addGetLogs(scope: FastifyInstance, deps: AppDeps): void {
  const { storage, clock, queryBudgetMs: budgetMs } = deps
  scope.addSchema(RecentEventSchema)
  scope.addSchema(RecentLogSchema)

  scope.get<{ Params: { domain: string } }>(
    '/logs/:domain',
    {
      config: { surface: 'logs', access: { tenant: 'logs' } },
      schema: {
        operationId: 'getRecentEmailLogs',
        summary: 'Get recent email logs',
        description:
          'The newest 1000 events of the last 15 days, of six types. No pagination; `GET /webhooks/{domain}` has it, with all ' +
          'types, fields and filters.',
        params: DomainParams,
        querystring: RecentLogQuery,
        response: {
          200: jsonResponse('The newest events.', RECENT_LOG),
          ...refusals(...WITH_KEY, 'invalid_request', 'domain_not_found', 'not_found'),
        },
      },
    },
    async (request) => {
      const { tenantId } = tenantOf(request)
      const { domain } = request.params
      const { type } = parseRecentLogQuery(request.query)
      const dependencies = { log: storage.log, domains: storage.control.domains, clock, budgetMs }
      const types = type ? [type] : RECENT_TYPES
      return toRecentLog(await listRecentEvents(dependencies, { tenantId, domain, types }), type)
    },
  )
  addWithoutDomain(scope, '/logs')
}
