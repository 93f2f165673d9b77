/**
 * The interface's own JSON shapes, for `--json`. Loaded when a command needs one: the schemas beside them pull in a
 * library that takes longer to load than all of the rest.
 */
import type { Domain } from '../domains/domain.ts'
import type { VerifyDomainResult } from '../domains/verification/verify-domain.ts'

export async function toDomainJson(domain: Domain): Promise<object> {
  const { toWireDomain } = await import('../http/platform/domain.wire.ts')
  return toWireDomain(domain)
}

export async function toVerificationJson(result: VerifyDomainResult): Promise<object> {
  const { toVerificationResult } = await import('../http/platform/verify-domain.wire.ts')
  return toVerificationResult(result)
}
