/** GET /api/v2/domain and POST /api/v2/domain/{id}/verify: the tenant's domains. Sections 4.2 and 4.3 of the interface. */
import type { FastifyInstance } from 'fastify'
import { listCautions } from '../../domains/checks/domain-report.ts'
import { VERIFY_RATE } from '../../domains/verification/verification-runner.ts'
import type { AppDeps } from '../app-deps.ts'
import { describeRoutes } from '../docs/openapi.ts'
import { json, routesOf } from '../routes/route.ts'
import { toWireDomain, toWireError } from './domain.wire.ts'
import { DomainListParameters, DomainListSchema, parseOrderBy } from './list-domains.wire.ts'
import { DomainIdParams, VerificationResultSchema } from './verify-domain.wire.ts'

export async function addPlatformSurface(scope: FastifyInstance, { storage, verifications }: AppDeps): Promise<void> {
  await describeRoutes(scope, 'platform')
  const route = routesOf(scope, 'platform', { tenant: 'domains' })

  route('GET /api/v2/domain', {
    operationId: 'listDomains',
    summary: 'List tenant domains',
    description: 'The domains of the tenant with their status, DNS records and sending configuration.',
    query: DomainListParameters,
    answer: json('One page of domains.', DomainListSchema),
    async handle({ caller: { tenantId }, query: { skip, take, orderBy, onboardingStatus } }) {
      const { domains, count } = await storage.control.domains.list({
        tenantId,
        skip,
        take,
        orderBy: parseOrderBy(orderBy),
        ...(onboardingStatus !== undefined && { onboarded: onboardingStatus }),
      })
      return { domains: domains.map(toWireDomain), count }
    },
  })

  route('POST /api/v2/domain/:id/verify', {
    operationId: 'verifyDomain',
    summary: 'Verify a domain',
    description:
      'Checks all DNS records of the domain (DKIM, SPF and DMARC; return path, tracking and MX if the operator has ' +
      'configured them) and updates its status. A record that is not required never fails the check. A failed check is not ' +
      'an error: the response is 200 with `isVerified: false`. If all required records are correct, `isVerified` and ' +
      '`isApproved` become true; if one is missing or wrong, both become false. If DNS could not be queried, the domain ' +
      'has no DKIM key or it is not active yet, the flags are unchanged. A request body is ignored. The response arrives ' +
      'within 10 seconds. Calls that arrive while the same domain is being checked share the result of that check. ' +
      `A tenant may cause ${VERIFY_RATE.burst} checks at once and ${VERIFY_RATE.perMinute} a minute; calls that share a ` +
      'check do not count. Active domains are also checked automatically.',
    params: DomainIdParams,
    answer: json('The result of the check, successful or not.', VerificationResultSchema),
    refusals: ['domain_not_found', 'rate_limited', 'overloaded', 'storage_unavailable'],
    async handle({ caller: { tenantId }, params }) {
      const { isVerified, errors, report } = await verifications.verify({ tenantId, domainId: params.id })
      const warnings = report ? listCautions(report) : []
      return {
        isVerified,
        ...(errors.length > 0 && { verificationErrors: errors.map(toWireError) }),
        ...(warnings.length > 0 && { verificationWarnings: warnings.map(toWireError) }),
      }
    },
  })
}
