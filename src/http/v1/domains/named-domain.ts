/** The domain that a path names. */
import type { Domain } from '../../../domains/domain.ts'
import { normalizeDomainName } from '../../../domains/domain-name.ts'
import type { DomainStore } from '../../../domains/domain-store.ts'
import { AppError } from '../../../lib/app-error.ts'

/** Another tenant's domain gets the same response as one that does not exist. Throws AppError `not_found`. */
export async function requireNamedDomain(
  domains: Pick<DomainStore, 'findByName'>,
  text: string,
  tenantId?: string,
): Promise<Domain> {
  const name = normalizeDomainName(text)
  const domain = name === undefined ? undefined : await domains.findByName(name)
  if (domain && (tenantId ?? domain.tenantId) === domain.tenantId) return domain
  throw new AppError('not_found', 'Domain not found')
}
