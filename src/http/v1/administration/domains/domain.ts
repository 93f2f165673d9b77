/** GET /v1/admin/domains/{name}, POST …/activate and POST …/verify: one domain, whoever owns it. */
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
        summary: 'A domain of any tenant',
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
        description: 'It can be verified then, and is checked by itself. Activating twice changes nothing.',
        params: DomainNameParams,
        response: {
          200: jsonResponse('It is active.', AdminDomainDetailSchema.$id),
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
          'The same check as `POST /v1/domains/{name}/verify`, with the report in full. Takes no body. It is not limited by ' +
          "the tenant's rate.",
        params: DomainNameParams,
        response: {
          200: jsonResponse('The check was made, whatever it found.', AdminDomainCheckSchema.$id),
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
