/** Counts over time, asked for by what makes them up. */
import { useQuery } from '@tanstack/react-query'
import type { Series } from '../../../src/http/v1/series.wire.ts'
import { request } from '../api/request.ts'
import type { EventType } from '../kit/event-kinds.ts'

export interface SeriesQuestion {
  readonly group: Series['group']
  readonly bucket: Series['bucket']
  readonly fromMs: number
  readonly toMs: number
  readonly types?: readonly EventType[]
  /** Empty for all. */
  readonly domain: string
}

export function useSeries(question: SeriesQuestion) {
  const params = new URLSearchParams({ group: question.group, bucket: question.bucket })
  params.set('from', new Date(question.fromMs).toISOString())
  params.set('to', new Date(question.toMs).toISOString())
  for (const type of question.types ?? []) params.append('type', type)
  if (question.domain !== '') params.append('domain', question.domain)
  return useQuery({
    queryKey: ['series', params.toString()],
    queryFn: ({ signal }) => request<Series>(`/v1/stats/series?${params}`, { signal }),
    placeholderData: (former) => (former?.group === question.group ? former : undefined),
    refetchInterval: 60_000,
  })
}
