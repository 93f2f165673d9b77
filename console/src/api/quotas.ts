/** What the signed-in tenant may use, and what it uses. */
import { useQuery } from '@tanstack/react-query'
import type { OwnQuotas } from '../../../src/http/v1/session/quotas.wire.ts'
import { useCurrentSession, useScope } from './session.ts'

export function useQuotas(refetchInterval: number | false = false) {
  const isTenant = useCurrentSession().principal.kind === 'tenant'
  const enabled = useScope('domainStats') && isTenant
  return useQuery<OwnQuotas>({
    queryKey: ['/v1/quotas'],
    enabled,
    refetchInterval,
    staleTime: 10_000,
  })
}
