/** The tenant's domains, fetched once for every page that lists them. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { DomainDetail, DomainSummaries } from '../../../src/http/v1/domains/domains.wire.ts'
import type { DomainCheck } from '../../../src/http/v1/domains/verify-domain.wire.ts'
import { request } from './request.ts'
import { useScope } from './session.ts'

export const DOMAINS_KEY = ['/v1/domains'] as const

export function domainPath(name: string): string {
  return `${DOMAINS_KEY[0]}/${encodeURIComponent(name)}`
}

/** `isEnabled` on the result is false without the scope `domains`. */
export function useDomains() {
  return useQuery<DomainSummaries>({ queryKey: DOMAINS_KEY, enabled: useScope('domains') })
}

/** One domain, and a check of it that updates it everywhere. */
export function useDomain(name: string) {
  const client = useQueryClient()
  const path = domainPath(name)
  const query = useQuery<DomainDetail>({ queryKey: [path] })
  const check = useMutation({
    mutationFn: () => request<DomainCheck>(`${path}/verify`, { method: 'POST' }),
    onSuccess: ({ domain }) => {
      client.setQueryData([path], domain)
      void client.invalidateQueries({ queryKey: DOMAINS_KEY })
    },
  })
  return { query, check }
}

export function useAddDomain(onAdded: (domain: DomainDetail) => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (name: string) => request<DomainDetail>(DOMAINS_KEY[0], { method: 'POST', body: { name } }),
    onSuccess: (domain) => {
      client.setQueryData([domainPath(domain.name)], domain)
      void client.invalidateQueries({ queryKey: DOMAINS_KEY })
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
      void client.invalidateQueries({ queryKey: DOMAINS_KEY })
    },
  })
}
