/** Section 4.3 of the interface: path and response of a verification. */
import * as t from '../../lib/json-schema.ts'
import { VerificationErrorSchema } from './domain.wire.ts'

export const DomainIdParams = t.object({ id: t.text('Domain id (a UUID) from the domain listing.') })

export const VerificationResultSchema = t.named('VerificationResult', 'Result of a verification check.', {
  isVerified: t.flag('Result of this check.'),
  verificationErrors: t.optional(
    t.list(t.ref(VerificationErrorSchema), 'Present if verification failed, with one entry per problem.', {
      minItems: 1,
    }),
  ),
})
