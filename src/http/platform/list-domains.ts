/** GET /api/v2/domain: the tenant's domains. */
import type { FastifyInstance } from 'fastify'
import { tenantOf } from '../access/access.ts'
import type { AppDeps } from '../app-deps.ts'
import { jsonResponse, refusals, WITH_KEY } from '../docs/openapi.ts'
import {
  DOMAIN_LIST,
  DomainListParameters,
  DomainListSchema,
  parseDomainListQuery,
  toWireDomainList,
} from './list-domains.wire.ts'

export function addListDomains(scope: FastifyInstance, { storage }: AppDeps): void {
  scope.addSchema(DomainListSchema)
  scope.get(
    '/api/v2/domain',
    {
      config: { surface: 'platform', access: { tenant: 'domains' } },
      schema: {
        operationId: 'listDomains',
        summary: 'List tenant domains',
        description: 'The domains of the tenant with their status, DNS records and sending configuration.',
        querystring: DomainListParameters,
        response: {
          200: jsonResponse('One page of domains.', DOMAIN_LIST),
          ...refusals(...WITH_KEY, 'invalid_request', 'not_found'),
        },
      },
    },
    async (request) => {
      const { tenantId } = tenantOf(request)
      const query = parseDomainListQuery(request.query)
      return toWireDomainList(await storage.control.domains.list({ tenantId, ...query }))
    },
  )
}
