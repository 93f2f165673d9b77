/** The tenant's domains, fetched once for every page that lists them. */
import { useQuery } from '@tanstack/react-query'
import type { DomainSummaries } from '../../../src/http/v1/domains/domains.wire.ts'
import { request } from './request.ts'
import { useScope } from './session.ts'

/** `isEnabled` on the result is false without the scope `domains`. */
export function useDomains() {
  return useQuery({
    queryKey: ['domains'],
    queryFn: ({ signal }) => request<DomainSummaries>('/v1/domains', { signal }),
    enabled: useScope('domains'),
  })
}
