/** Counts of the events that match the search, shared by the rail and the histogram. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Facets } from '../../../../src/http/v1/log/facets.wire.ts'
import { useReading } from '../../api/reading.ts'
import { shouldRetryBusy } from '../../api/retries.ts'

export type { Facets }
export type Facet = Facets['facets'][number]

const VALUES = 8

interface FacetsOptions {
  readonly isEnabled?: boolean
  /** A new epoch counts the same again. */
  readonly epoch: number
  readonly refetchMs?: number | false
}

/** `params`: those of GET /v1/events. While another search is counted, the previous counts stay. */
export function useFacets(params: string, { isEnabled = true, epoch, refetchMs = false }: FacetsOptions) {
  const { pathOf } = useReading()
  return useQuery<Facets>({
    queryKey: [pathOf('/events/facets', `${params}&limit=${VALUES}`), epoch],
    placeholderData: keepPreviousData,
    refetchInterval: refetchMs,
    enabled: isEnabled,
    retry: shouldRetryBusy,
  })
}
