/** Section 4.3 of the interface: the verify path and its answer. */
import { Type } from 'typebox'
import type { VerifyDomainResult } from '../../domains/verification/verify-domain.ts'
import { toWireError, VERIFICATION_ERROR } from './domain.wire.ts'

export const DomainIdParams = Type.Object({
  id: Type.String({ description: 'Domain id (a UUID), as the domain listing shows it.' }),
})

export const VERIFICATION_RESULT = 'VerificationResult'

export const VerificationResultSchema = Type.Object(
  {
    isVerified: Type.Boolean({ description: 'Result of this check.' }),
    verificationErrors: Type.Optional(
      Type.Array(Type.Ref(VERIFICATION_ERROR), {
        minItems: 1,
        description: 'Present when verification fails, with per-record detail.',
      }),
    ),
  },
  { $id: VERIFICATION_RESULT, description: 'What a verification check found.' },
)

export function toVerificationResult({ isVerified, errors }: VerifyDomainResult) {
  return { isVerified, ...(errors.length > 0 && { verificationErrors: errors.map(toWireError) }) }
}
