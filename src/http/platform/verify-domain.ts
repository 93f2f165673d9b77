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
          'Checks all DNS records of the domain (DKIM, SPF and DMARC; return path, tracking and MX where the operator has set ' +
          'them up) and updates its status; a record that is not required never fails it. A failed check is no error: ' +
          'it is answered with 200 and `isVerified: false`. All records right: `isVerified` and `isApproved` become true. A ' +
          'required record missing or wrong: both become false. DNS could not be asked, no key for the domain, or the ' +
          'domain is not active yet: its flags stay as they are. Takes no body; one that is sent is ignored. An answer ' +
          'comes within 10 seconds. Calls that come while the same domain is being checked share the answer of that check. ' +
          `A tenant may cause ${VERIFY_RATE.burst} checks at once and ${VERIFY_RATE.perMinute} a minute; sharing counts for ` +
          'nothing. Active domains are also checked again by themselves.',
        params: DomainIdParams,
        response: {
          200: jsonResponse('The check was made, whatever it found.', VERIFICATION_RESULT),
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
