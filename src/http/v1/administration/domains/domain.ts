/** GET /v1/admin/domains/{name}, POST …/activate and POST …/verify: one domain of any tenant. */
import type { FastifyInstance } from 'fastify'
import { toReportJson } from '../../../../domains/checks/report-json.ts'
import { activateDomain } from '../../../../domains/registration/activate-domain.ts'
import type { AdministrationDeps } from '../../../app-deps.ts'
import { jsonResponse, refusals, WITH_SESSION } from '../../../docs/openapi.ts'
import { toDomainCheck } from '../../domains/domain-check-view.ts'
import { DomainNameParams } from '../../domains/domains.wire.ts'
import { requireNamedDomain, toAdminDetail } from './domain-owner.ts'
import { type AdminDomainCheck, AdminDomainCheckSchema, AdminDomainDetailSchema } from './domains.wire.ts'

const config = { surface: 'v1', access: { operator: 'admin' } } as const

type Named = { Params: { name: string } }

export function addAdminDomain(scope: FastifyInstance, { storage, clock, verifications }: AdministrationDeps): void {
  const { domains, keys } = storage.control
  scope.addSchema(AdminDomainCheckSchema)

  scope.get<Named>(
    '/v1/admin/domains/:name',
    {
      config,
      schema: {
        operationId: 'getAnyDomain',
        summary: 'Get a domain of any tenant',
        params: DomainNameParams,
        response: {
          200: jsonResponse('The domain.', AdminDomainDetailSchema.$id),
          ...refusals(...WITH_SESSION, 'not_found'),
        },
      },
    },
    async (request) => toAdminDetail(await requireNamedDomain(domains, request.params.name), keys),
  )

  scope.post<Named>(
    '/v1/admin/domains/:name/activate',
    {
      config,
      schema: {
        operationId: 'activateDomain',
        summary: 'Activate a domain',
        description:
          'An active domain can be verified and is checked automatically. Activating it again has no effect.',
        params: DomainNameParams,
        response: {
          200: jsonResponse('The active domain.', AdminDomainDetailSchema.$id),
          ...refusals(...WITH_SESSION, 'not_found', 'payload_too_large', 'storage_unavailable'),
        },
      },
    },
    async (request) => {
      const { name } = await requireNamedDomain(domains, request.params.name)
      return toAdminDetail(await activateDomain({ domains, clock }, name), keys)
    },
  )

  scope.post<Named>(
    '/v1/admin/domains/:name/verify',
    {
      config,
      schema: {
        operationId: 'checkAnyDomain',
        summary: 'Check a domain of any tenant now',
        description:
          'The same check as `POST /v1/domains/{name}/verify`, with the full report. Takes no body. It is not limited by ' +
          "the tenant's rate.",
        params: DomainNameParams,
        response: {
          200: jsonResponse('The result of the check, successful or not.', AdminDomainCheckSchema.$id),
          ...refusals(...WITH_SESSION, 'not_found', 'payload_too_large', 'overloaded', 'storage_unavailable'),
        },
      },
    },
    async (request): Promise<AdminDomainCheck> => {
      const { id: domainId, name } = await requireNamedDomain(domains, request.params.name)
      const result = await verifications.verify({ domainId })
      const check = toDomainCheck(result, await requireNamedDomain(domains, name))
      return { ...check, ...(result.report && { report: toReportJson(result.report) }) }
    },
  )
}
