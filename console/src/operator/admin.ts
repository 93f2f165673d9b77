/** Queries and actions of the operator's pages: /v1/admin. */
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { AuditPage } from '../../../src/http/v1/administration/audit/audit-log.wire.ts'
import type { AdminDomains } from '../../../src/http/v1/administration/domains/domains.wire.ts'
import type { IngestHealth } from '../../../src/http/v1/administration/ingest.wire.ts'
import type { ApiKeys } from '../../../src/http/v1/administration/keys.wire.ts'
import type { RetentionStatusView } from '../../../src/http/v1/administration/maintenance/retention.wire.ts'
import type { Removal, Removals } from '../../../src/http/v1/administration/removal/removals.wire.ts'
import type { StorageUse } from '../../../src/http/v1/administration/storage.wire.ts'
import type { Tenants } from '../../../src/http/v1/administration/tenants.wire.ts'
import { request } from '../api/request.ts'

const ADMIN = '/v1/admin/'

function useAdmin<T>(path: string, refetchInterval: number | false = false) {
  return useQuery<T>({ queryKey: [ADMIN + path], refetchInterval, placeholderData: keepPreviousData })
}

export const useTenants = (params: string) => useAdmin<Tenants>(`tenants?${params}`)
export const useKeys = (params: string) => useAdmin<ApiKeys>(`keys?${params}`)
export const useAllDomains = (params: string) => useAdmin<AdminDomains>(`domains?${params}`)
export const useAudit = (params: string) => useAdmin<AuditPage>(`audit?${params}`)
export const useIngestHealth = () => useAdmin<IngestHealth>('ingest', 5000)
export const useRemovals = () => useAdmin<Removals>('removals', 2000)
export const useRemoval = (id: string) => useAdmin<Removal>(`removals/${encodeURIComponent(id)}`, 2000)
export const useRetention = () => useAdmin<RetentionStatusView>('retention', 60_000)
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
    mutationFn: ({ path, method = 'POST', body }: AdminAction) => request<T>(ADMIN + path, { method, body }),
    onSuccess: async (result) => {
      onDone?.(result)
      await client.invalidateQueries({ predicate: ({ queryKey }) => String(queryKey[0]).startsWith(ADMIN) })
    },
  })
}
