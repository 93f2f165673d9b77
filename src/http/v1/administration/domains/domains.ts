/** GET and POST /v1/admin/domains. */
import type { FastifyInstance } from 'fastify'
import { addDomain } from '../../../../domains/registration/add-domain.ts'
import { requireTenantByName } from '../../../../tenants/require-tenant.ts'
import type { AdministrationDeps } from '../../../app-deps.ts'
import { jsonResponse, refusals, WITH_SESSION } from '../../../docs/openapi.ts'
import { parseQuery } from '../../../request/query-parameters.ts'
import { toDomainDetail, toDomainSummary } from '../../domains/domain-views.ts'
import { BODY_REFUSALS, parseJsonBody } from '../../json-body.ts'
import { findOwners, toAdminDetail } from './domain-owner.ts'
import {
  ADMIN_DOMAINS_TAKE_DEFAULT,
  ADMIN_DOMAINS_TAKE_MAX,
  AdminDomainDetailSchema,
  AdminDomainSchema,
  AdminDomainsQuery,
  AdminDomainsSchema,
  NewDomainBody,
} from './domains.wire.ts'

const config = { surface: 'v1', access: { operator: 'admin' } } as const

export function addAdminDomains(scope: FastifyInstance, deps: AdministrationDeps): void {
  const { storage, clock, dkimSealer: sealer, recordOptions } = deps
  const { domains, keys } = storage.control
  for (const schema of [AdminDomainSchema, AdminDomainsSchema, AdminDomainDetailSchema]) scope.addSchema(schema)

  scope.get(
    '/v1/admin/domains',
    {
      config,
      schema: {
        operationId: 'listAllDomains',
        summary: 'List domains of all tenants',
        querystring: AdminDomainsQuery,
        response: {
          200: jsonResponse('One page of domains.', AdminDomainsSchema.$id),
          ...refusals(...WITH_SESSION, 'invalid_request', 'not_found'),
        },
      },
    },
    async (request) => {
      const {
        tenant,
        details = false,
        skip = 0,
        take = ADMIN_DOMAINS_TAKE_DEFAULT,
      } = parseQuery(AdminDomainsQuery, request.query)
      const owner = tenant === undefined ? undefined : await requireTenantByName(keys, tenant)
      const page = await domains.list({
        ...(owner && { tenantId: owner.id }),
        skip,
        take: Math.min(take, ADMIN_DOMAINS_TAKE_MAX),
        orderBy: { field: 'name', direction: 'asc' },
      })
      const ownerOf = await findOwners(keys)
      const show = details ? toDomainDetail : toDomainSummary
      const shown = page.domains.map((domain) => ({ ...show(domain), tenant: ownerOf(domain) }))
      return { domains: shown, count: page.count }
    },
  )

  scope.post(
    '/v1/admin/domains',
    {
      config,
      schema: {
        operationId: 'addDomain',
        summary: 'Add a domain',
        description: 'Creates a DKIM key for it. The response contains the records that the tenant has to publish.',
        body: NewDomainBody,
        response: {
          201: jsonResponse('Added.', AdminDomainDetailSchema.$id),
          ...refusals(
            ...WITH_SESSION,
            ...BODY_REFUSALS,
            'invalid_request',
            'not_found',
            'conflict',
            'storage_unavailable',
          ),
        },
      },
    },
    async (request, reply) => {
      const { name, tenant, active = false, description, sendingEmail } = parseJsonBody(NewDomainBody, request.body)
      const domain = await addDomain(
        { domains, keys, sealer, clock, ...recordOptions },
        {
          name,
          tenantName: tenant,
          isActive: active,
          ...(description !== undefined && { description }),
          ...(sendingEmail !== undefined && { sendingEmail }),
        },
      )
      return reply.code(201).send(await toAdminDetail(domain, keys))
    },
  )
}
