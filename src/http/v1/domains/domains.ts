/** GET /v1/domains, GET /v1/domains/{name} and POST /v1/domains/{name}/verify: a tenant's domains and their records. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Domain } from '../../../domains/domain.ts'
import { normalizeDomainName } from '../../../domains/domain-name.ts'
import type { DomainStore } from '../../../domains/domain-store.ts'
import { VERIFY_RATE } from '../../../domains/verification/verification-runner.ts'
import { AppError } from '../../../lib/app-error.ts'
import { tenantOf } from '../../access/access.ts'
import type { AppDeps } from '../../app-deps.ts'
import { jsonResponse, refusals, WITH_SESSION } from '../../docs/openapi.ts'
import { toDomainCheck } from './domain-check-view.ts'
import { toDomainDetail, toDomainSummary } from './domain-views.ts'
import {
  DomainDetailSchema,
  DomainErrorSchema,
  DomainNameParams,
  DomainSummariesSchema,
  DomainSummarySchema,
  PublishedRecordSchema,
} from './domains.wire.ts'
import { CheckedRecordSchema, DomainCheckSchema, SpfTreeSchema } from './verify-domain.wire.ts'

const config = { surface: 'v1', access: { tenant: 'domains' } } as const
const PAGE = 1000

type NamedRequest = FastifyRequest<{ Params: { name: string } }>

export function addDomains(scope: FastifyInstance, { storage, verifications }: AppDeps): void {
  const { domains } = storage.control
  const schemas = [
    DomainSummarySchema,
    DomainSummariesSchema,
    DomainErrorSchema,
    PublishedRecordSchema,
    DomainDetailSchema,
    SpfTreeSchema,
    CheckedRecordSchema,
    DomainCheckSchema,
  ]
  for (const schema of schemas) scope.addSchema(schema)

  scope.get(
    '/v1/domains',
    {
      config,
      schema: {
        operationId: 'listDomainSummaries',
        summary: 'List domains',
        description: 'All domains of the tenant, by name, each with a summary of its state.',
        response: {
          200: jsonResponse('The domains.', DomainSummariesSchema.$id),
          ...refusals(...WITH_SESSION),
        },
      },
    },
    async (request) => ({ domains: (await listAll(domains, tenantOf(request).tenantId)).map(toDomainSummary) }),
  )

  scope.get<{ Params: { name: string } }>(
    '/v1/domains/:name',
    {
      config,
      schema: {
        operationId: 'getDomain',
        summary: 'Get a domain and its records',
        description: 'The DNS records that the domain has to publish, and what the last check found.',
        params: DomainNameParams,
        response: {
          200: jsonResponse('The domain.', DomainDetailSchema.$id),
          ...refusals(...WITH_SESSION, 'not_found'),
        },
      },
    },
    async (request) => toDomainDetail(await requireOwn(domains, request)),
  )

  scope.post<{ Params: { name: string } }>(
    '/v1/domains/:name/verify',
    {
      config,
      schema: {
        operationId: 'checkDomain',
        summary: 'Check a domain now',
        description:
          'The same check as `POST /api/v2/domain/{id}/verify`, with the full report: each record with the expected and actual ' +
          'values, the SPF policy as a tree, and the servers that were queried. Takes no body. The response arrives within 10 seconds. ' +
          `A tenant may cause ${VERIFY_RATE.burst} checks at once and ${VERIFY_RATE.perMinute} a minute.`,
        params: DomainNameParams,
        response: {
          200: jsonResponse('The result of the check, successful or not.', DomainCheckSchema.$id),
          ...refusals(
            ...WITH_SESSION,
            'not_found',
            'payload_too_large',
            'rate_limited',
            'overloaded',
            'storage_unavailable',
          ),
        },
      },
    },
    async (request) => {
      const { id: domainId } = await requireOwn(domains, request)
      const result = await verifications.verify({ tenantId: tenantOf(request).tenantId, domainId })
      return toDomainCheck(result, await requireOwn(domains, request))
    },
  )
}

/** Another tenant's domain gets the same response as one that does not exist: 404, because the name is part of the path. */
async function requireOwn(domains: Pick<DomainStore, 'findByName'>, request: NamedRequest): Promise<Domain> {
  const name = normalizeDomainName(request.params.name)
  const domain = name === undefined ? undefined : await domains.findByName(name)
  if (domain?.tenantId === tenantOf(request).tenantId) return domain
  throw new AppError('not_found', 'Domain not found')
}

async function listAll(domains: Pick<DomainStore, 'list'>, tenantId: string): Promise<readonly Domain[]> {
  const found: Domain[] = []
  for (;;) {
    const orderBy = { field: 'name', direction: 'asc' } as const
    const page = await domains.list({ tenantId, skip: found.length, take: PAGE, orderBy })
    found.push(...page.domains)
    if (page.domains.length < PAGE) return found
  }
}
