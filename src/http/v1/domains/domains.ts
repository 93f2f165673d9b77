/** /v1/domains: a tenant's domains and their records. */
import type { FastifyInstance } from 'fastify'
import type { Domain } from '../../../domains/domain.ts'
import type { DomainStore } from '../../../domains/domain-store.ts'
import { VERIFY_RATE } from '../../../domains/verification/verification-runner.ts'
import type { AppDeps } from '../../app-deps.ts'
import { json, routesOf } from '../../routes/route.ts'
import { toDomainCheck } from './domain-check-view.ts'
import { readFindings, toDomainDetail, toDomainSummary } from './domain-views.ts'
import { DomainDetailSchema, DomainNameParams, DomainSummariesSchema } from './domains.wire.ts'
import { requireNamedDomain } from './named-domain.ts'
import { DomainCheckSchema } from './verify-domain.wire.ts'

const PAGE = 1000

export function addDomains(scope: FastifyInstance, { storage, verifications }: AppDeps): void {
  const { domains } = storage.control
  const route = routesOf(scope, 'v1', { tenant: 'domains' })

  route('GET /v1/domains', {
    operationId: 'listDomainSummaries',
    summary: 'List domains',
    description: 'All domains of the tenant, by name, each with a summary of its state.',
    answer: json('The domains.', DomainSummariesSchema),
    handle: async ({ caller }) => ({ domains: (await listAll(domains, caller.tenantId)).map(toDomainSummary) }),
  })

  route('GET /v1/domains/:name', {
    operationId: 'getDomain',
    summary: 'Get a domain and its records',
    description: 'The DNS records that the domain has to publish, and what the last check found.',
    params: DomainNameParams,
    answer: json('The domain.', DomainDetailSchema),
    async handle({ caller: { tenantId }, params: { name } }) {
      const domain = await requireNamedDomain(domains, name, tenantId)
      return toDomainDetail(domain, await readFindings(domains, domain.id))
    },
  })

  route('POST /v1/domains/:name/verify', {
    operationId: 'checkDomain',
    summary: 'Check a domain now',
    description:
      'The same check as `POST /api/v2/domain/{id}/verify`, with the full report: each record with the expected and actual ' +
      'values, the SPF policy as a tree, and the servers that were queried. Takes no body. The response arrives within 10 seconds. ' +
      `A tenant may cause ${VERIFY_RATE.burst} checks at once and ${VERIFY_RATE.perMinute} a minute.`,
    params: DomainNameParams,
    answer: json('The result of the check, successful or not.', DomainCheckSchema),
    refusals: ['rate_limited', 'overloaded', 'storage_unavailable'],
    async handle({ caller: { tenantId }, params: { name } }) {
      const { id: domainId } = await requireNamedDomain(domains, name, tenantId)
      const result = await verifications.verify({ tenantId, domainId })
      const domain = await requireNamedDomain(domains, name, tenantId)
      return toDomainCheck(result, domain, await readFindings(domains, domainId))
    },
  })
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
