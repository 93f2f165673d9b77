/** Section 4.3 of the interface: path and response of a verification. */
import { Type } from 'typebox'
import type { VerifyDomainResult } from '../../domains/verification/verify-domain.ts'
import { toWireError, VERIFICATION_ERROR } from './domain.wire.ts'

export const DomainIdParams = Type.Object({
  id: Type.String({ description: 'Domain id (a UUID) from the domain listing.' }),
})

export const VERIFICATION_RESULT = 'VerificationResult'

export const VerificationResultSchema = Type.Object(
  {
    isVerified: Type.Boolean({ description: 'Result of this check.' }),
    verificationErrors: Type.Optional(
      Type.Array(Type.Ref(VERIFICATION_ERROR), {
        minItems: 1,
        description: 'Present if verification failed, with one entry per problem.',
      }),
    ),
  },
  { $id: VERIFICATION_RESULT, description: 'Result of a verification check.' },
)

export function toVerificationResult({ isVerified, errors }: VerifyDomainResult) {
  return { isVerified, ...(errors.length > 0 && { verificationErrors: errors.map(toWireError) }) }
}
