/** Domains with their owners. */
import type { Domain } from '../../../../domains/domain.ts'
import { normalizeDomainName } from '../../../../domains/domain-name.ts'
import type { DomainStore } from '../../../../domains/domain-store.ts'
import { AppError } from '../../../../lib/app-error.ts'
import type { KeyStore } from '../../../../tenants/key-store.ts'
import { toDomainDetail } from '../../domains/domain-views.ts'
import type { AdminDomainDetail } from './domains.wire.ts'

type TenantLookup = Pick<KeyStore, 'listTenants'>

export async function findOwners(keys: TenantLookup): Promise<(domain: Domain) => { id: string; name: string }> {
  const names = new Map((await keys.listTenants()).map(({ id, name }) => [id, name]))
  return ({ tenantId: id }) => ({ id, name: names.get(id) ?? '' })
}

export async function toAdminDetail(domain: Domain, keys: TenantLookup): Promise<AdminDomainDetail> {
  const ownerOf = await findOwners(keys)
  return { ...toDomainDetail(domain), tenant: ownerOf(domain) }
}

/** The domain named in a path, of any tenant. Throws AppError `not_found`. */
export async function requireNamedDomain(domains: Pick<DomainStore, 'findByName'>, text: string): Promise<Domain> {
  const name = normalizeDomainName(text)
  const domain = name === undefined ? undefined : await domains.findByName(name)
  if (domain) return domain
  throw new AppError('not_found', 'Domain not found')
}
