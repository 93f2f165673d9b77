/** The domains of the tenant whose mail is shown, fetched once for every page that lists them. */
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { AdminDomainDetail } from '../../../src/http/v1/administration/domains/domains.wire.ts'
import type { DomainDetail, DomainSummaries } from '../../../src/http/v1/domains/domains.wire.ts'
import type { DomainCheck } from '../../../src/http/v1/domains/verify-domain.wire.ts'
import { useReading } from './reading.ts'
import { request } from './request.ts'
import { useScope } from './session.ts'

/** Of a tenant's own list. */
export const DOMAINS_KEY = ['/v1/domains'] as const

export function domainPath(name: string): string {
  return `${DOMAINS_KEY[0]}/${encodeURIComponent(name)}`
}

/** `isEnabled` on the result is false without the scope `domains`, and for all tenants together: there may be thousands. */
export function useDomains({ isWanted = true }: { readonly isWanted?: boolean } = {}) {
  const { isOperator, tenantId, pathOf } = useReading()
  const canList = useScope('domains') && (!isOperator || tenantId !== undefined)
  return useQuery<DomainSummaries>({
    queryKey: [pathOf('/domains', isOperator ? 'take=1000' : '')],
    enabled: canList && isWanted,
  })
}

/** An operator's answer also names the tenant. */
type ShownDomain = DomainDetail & Partial<Pick<AdminDomainDetail, 'tenant'>>

/** One domain, and what can be done with it; every list of domains is updated. */
export function useDomain(name: string) {
  const client = useQueryClient()
  const { isOperator } = useReading()
  const path = isOperator ? `/v1/admin/domains/${encodeURIComponent(name)}` : domainPath(name)
  const query = useQuery<ShownDomain>({ queryKey: [path] })
  const check = useMutation({
    mutationFn: () => request<DomainCheck>(`${path}/verify`, { method: 'POST' }),
    onSuccess: ({ domain }) => {
      client.setQueryData<ShownDomain>([path], (before) => ({ ...before, ...domain }))
      updateLists(client)
    },
  })
  const change = useMutation({
    mutationFn: (how: 'activate' | 'deactivate') => request<ShownDomain>(`${path}/${how}`, { method: 'POST' }),
    onSuccess: (domain) => {
      client.setQueryData([path], domain)
      updateLists(client)
    },
  })
  return { query, check, change }
}

export function useAddDomain(onAdded: (domain: DomainDetail) => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (name: string) => request<DomainDetail>(DOMAINS_KEY[0], { method: 'POST', body: { name } }),
    onSuccess: (domain) => {
      client.setQueryData([domainPath(domain.name)], domain)
      updateLists(client)
      onAdded(domain)
    },
  })
}

/** Only of a domain that is not proven yet. */
export function useRemoveDomain(onRemoved: () => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (name: string) => request(domainPath(name), { method: 'DELETE' }),
    onSuccess: (_, name) => {
      onRemoved()
      client.removeQueries({ queryKey: [domainPath(name)] })
      updateLists(client)
    },
  })
}

function updateLists(client: QueryClient): void {
  void client.invalidateQueries({
    predicate: ({ queryKey: [key] }) => /^\/v1\/(admin\/)?domains(\?|$)/.test(String(key)),
  })
}
