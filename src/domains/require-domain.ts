/** Looks up a domain by name or id, or throws `domain_not_found`. */
import { AppError } from '../lib/app-error.ts'
import type { Domain } from './domain.ts'
import { normalizeDomainName } from './domain-name.ts'
import type { DomainStore } from './domain-store.ts'
import { isProven } from './registration/unproven-domain.ts'

export type DomainLookup = Pick<DomainStore, 'findByName'>

/** A domain of another tenant gives the same error as one that does not exist. */
export async function requireTenantDomain(domains: DomainLookup, tenantId: string, name: string): Promise<Domain> {
  const domain = await requireDomain(domains, name)
  if (domain.tenantId === tenantId) return domain
  throw domainNotFound()
}

/** A domain that events and reports may be about: one that is unproven is the same as none. */
export async function findProvenDomain(domains: DomainLookup, text: string): Promise<Domain | undefined> {
  const name = normalizeDomainName(text)
  const domain = name === undefined ? undefined : await domains.findByName(name)
  return domain && isProven(domain) ? domain : undefined
}

/** For the operator, who may see every domain. */
export async function requireDomain(domains: DomainLookup, text: string): Promise<Domain> {
  const name = normalizeDomainName(text)
  const domain = name === undefined ? undefined : await domains.findByName(name)
  if (domain) return domain
  throw domainNotFound()
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export interface DomainById {
  /** Absent for the operator, who may see every domain. */
  readonly tenantId?: string
  readonly domainId: string
}

/** An invalid id, an unknown id and a domain of another tenant give the same error. */
export async function requireDomainById(
  domains: Pick<DomainStore, 'findById'>,
  { tenantId, domainId }: DomainById,
): Promise<Domain> {
  const id = domainId.toLowerCase()
  const domain = UUID.test(id) ? await domains.findById(id) : undefined
  if (domain && (tenantId === undefined || domain.tenantId === tenantId)) return domain
  throw domainNotFound()
}

export function domainNotFound(): AppError {
  return new AppError('domain_not_found', 'Domain not found')
}
