/** A page of domains, of one tenant or of all. */
import type { DomainListQuery, DomainPage, DomainStore } from './domain-store.ts'

export async function listDomains(
  deps: { readonly domains: Pick<DomainStore, 'list'> },
  query: DomainListQuery,
): Promise<DomainPage> {
  return deps.domains.list(query)
}
