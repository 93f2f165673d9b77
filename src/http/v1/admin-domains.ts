/** GET and POST /v1/admin/domains, POST /v1/admin/domains/{name}/activate. */
import type { FastifyInstance } from 'fastify'
import { activateDomain } from '../../domains/activate-domain.ts'
import { addDomain } from '../../domains/add-domain.ts'
import type { Domain } from '../../domains/domain.ts'
import { normalizeDomainName } from '../../domains/domain-name.ts'
import { AppError } from '../../lib/app-error.ts'
import { requireTenantByName } from '../../tenants/require-tenant.ts'
import type { AppDeps } from '../app-deps.ts'
import { jsonResponse, refusals, WITH_SESSION } from '../openapi.ts'
import { parseQuery } from '../query-parameters.ts'
import {
  ADMIN_DOMAINS_TAKE_DEFAULT,
  ADMIN_DOMAINS_TAKE_MAX,
  AdminDomainDetailSchema,
  AdminDomainSchema,
  AdminDomainsQuery,
  AdminDomainsSchema,
  NewDomainBody,
} from './admin-domains.wire.ts'
import { toDomainDetail, toDomainSummary } from './domain-views.ts'
import { DomainNameParams } from './domains.wire.ts'
import { BODY_REFUSALS, parseJsonBody } from './json-body.ts'

const config = { surface: 'v1', access: { operator: 'admin' } } as const

export function addAdminDomains(scope: FastifyInstance, deps: AppDeps): void {
  const { storage, clock, dkimSealer: sealer, recordOptions } = deps
  const { domains, keys } = storage
  for (const schema of [AdminDomainSchema, AdminDomainsSchema, AdminDomainDetailSchema]) scope.addSchema(schema)

  /** The owner of each domain, with its name. */
  async function findOwners(): Promise<(domain: Domain) => { id: string; name: string }> {
    const names = new Map((await keys.listTenants()).map(({ id, name }) => [id, name]))
    return ({ tenantId: id }) => ({ id, name: names.get(id) ?? '' })
  }

  async function toDetail(domain: Domain) {
    const ownerOf = await findOwners()
    return { ...toDomainDetail(domain), tenant: ownerOf(domain) }
  }

  scope.get(
    '/v1/admin/domains',
    {
      config,
      schema: {
        operationId: 'listAllDomains',
        summary: 'Domains of all tenants',
        querystring: AdminDomainsQuery,
        response: {
          200: jsonResponse('One page of domains.', AdminDomainsSchema.$id),
          ...refusals(...WITH_SESSION, 'invalid_request', 'not_found'),
        },
      },
    },
    async (request) => {
      const { tenant, skip = 0, take = ADMIN_DOMAINS_TAKE_DEFAULT } = parseQuery(AdminDomainsQuery, request.query)
      const owner = tenant === undefined ? undefined : await requireTenantByName(keys, tenant)
      const page = await domains.list({
        ...(owner && { tenantId: owner.id }),
        skip,
        take: Math.min(take, ADMIN_DOMAINS_TAKE_MAX),
        orderBy: { field: 'name', direction: 'asc' },
      })
      const ownerOf = await findOwners()
      const shown = page.domains.map((domain) => ({ ...toDomainSummary(domain), tenant: ownerOf(domain) }))
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
        description: 'With a fresh DKIM key. The answer has the records that the tenant has to publish.',
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
      return reply.code(201).send(await toDetail(domain))
    },
  )

  scope.post<{ Params: { name: string } }>(
    '/v1/admin/domains/:name/activate',
    {
      config,
      schema: {
        operationId: 'activateDomain',
        summary: 'Activate a domain',
        description: 'It can be verified then, and is checked by itself. Activating twice changes nothing.',
        params: DomainNameParams,
        response: {
          200: jsonResponse('It is active.', AdminDomainDetailSchema.$id),
          ...refusals(...WITH_SESSION, 'not_found', 'payload_too_large', 'storage_unavailable'),
        },
      },
    },
    async (request) => {
      const name = normalizeDomainName(request.params.name)
      const domain = name === undefined ? undefined : await domains.findByName(name)
      if (!domain) throw new AppError('not_found', 'Domain not found')
      return toDetail(await activateDomain({ domains, clock }, domain.name))
    },
  )
}
