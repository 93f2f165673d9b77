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
  verificationWarnings: t.optional(
    t.list(
      t.ref(VerificationErrorSchema),
      'Present if a required record is correct only because our mechanism comes first: receivers stop evaluating the policy ' +
        'after it, for example because the policy needs more than 10 DNS lookups. `required` is empty.',
      { minItems: 1 },
    ),
  ),
})
