/** POST /api/v2/domain/{id}/verify: checks a domain's DNS records now. */
import type { FastifyInstance } from 'fastify'
import { VERIFY_RATE } from '../../domains/verification/verification-runner.ts'
import { tenantOf } from '../access/access.ts'
import type { AppDeps } from '../app-deps.ts'
import { jsonResponse, refusals, WITH_KEY } from '../docs/openapi.ts'
import {
  DomainIdParams,
  toVerificationResult,
  VERIFICATION_RESULT,
  VerificationResultSchema,
} from './verify-domain.wire.ts'

export function addVerifyDomain(scope: FastifyInstance, { verifications }: AppDeps): void {
  scope.addSchema(VerificationResultSchema)
  scope.post<{ Params: { id: string } }>(
    '/api/v2/domain/:id/verify',
    {
      config: { surface: 'platform', access: { tenant: 'domains' } },
      schema: {
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
        response: {
          200: jsonResponse('The result of the check, successful or not.', VERIFICATION_RESULT),
          ...refusals(
            ...WITH_KEY,
            'domain_not_found',
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
      const { tenantId } = tenantOf(request)
      return toVerificationResult(await verifications.verify({ tenantId, domainId: request.params.id }))
    },
  )
}
