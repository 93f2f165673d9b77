/** The tenant's domains, fetched once for every page that lists them. */
import { useQuery } from '@tanstack/react-query'
import type { DomainSummaries } from '../../../src/http/v1/domains/domains.wire.ts'
import { useScope } from './session.ts'

/** `isEnabled` on the result is false without the scope `domains`. */
export function useDomains() {
  return useQuery<DomainSummaries>({ queryKey: ['/v1/domains'], enabled: useScope('domains') })
}
