/** Queries and actions of the operator's pages: /v1/admin. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { AdminDomains } from '../../../src/http/v1/administration/domains/domains.wire.ts'
import type { IngestHealth } from '../../../src/http/v1/administration/ingest.wire.ts'
import type { ApiKeys } from '../../../src/http/v1/administration/keys.wire.ts'
import type { StorageUse } from '../../../src/http/v1/administration/storage.wire.ts'
import type { Tenants } from '../../../src/http/v1/administration/tenants.wire.ts'
import { request } from '../api/request.ts'

function useAdmin<T>(path: string, refetchInterval: number | false = false) {
  return useQuery({
    queryKey: ['admin', path],
    queryFn: ({ signal }) => request<T>(`/v1/admin/${path}`, { signal }),
    refetchInterval,
  })
}

export const useTenants = () => useAdmin<Tenants>('tenants')
export const useKeys = () => useAdmin<ApiKeys>('keys')
export const useAllDomains = () => useAdmin<AdminDomains>('domains?take=1000')
export const useIngestHealth = () => useAdmin<IngestHealth>('ingest', 5000)
export const useStorageUse = () => useAdmin<StorageUse>('storage')

interface AdminAction {
  readonly path: string
  readonly method?: 'POST' | 'DELETE'
  readonly body?: unknown
}

/** Changes something, then refetches all of the operator's queries. */
export function useAdminAction<T>(onDone?: (result: T) => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ path, method = 'POST', body }: AdminAction) => request<T>(`/v1/admin/${path}`, { method, body }),
    onSuccess: async (result) => {
      onDone?.(result)
      await client.invalidateQueries({ queryKey: ['admin'] })
    },
  })
}
