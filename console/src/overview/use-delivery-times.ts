/** The time from reception to delivery by provider, estimated by the server from a sample. */
import { useQuery } from '@tanstack/react-query'
import type { DeliveryTimes } from '../../../src/http/v1/statistics/delivery-times.wire.ts'
import { useReading } from '../api/reading.ts'
import type { OverviewSearch, Period } from './overview-search.ts'

export type ProviderTimes = DeliveryTimes['providers'][number]

export function useDeliveryTimes(
  { domain }: OverviewSearch,
  { fromMs, toMs }: Period,
): ReadonlyMap<string, ProviderTimes> {
  const params = new URLSearchParams({ from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() })
  if (domain !== '') params.set('domain', domain)
  const { pathOf } = useReading()
  const { data } = useQuery<DeliveryTimes>({
    queryKey: [pathOf('/stats/delivery-times', params)],
    refetchInterval: 120_000,
    placeholderData: (previous) => previous,
  })
  return new Map(data?.providers.map((times) => [times.provider, times]))
}
