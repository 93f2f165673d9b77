/** Counts of deliveries and failures by sending address, pool or provider, with their course. */
import type { Series } from '../../../src/http/v1/statistics/series.wire.ts'
import type { Definitions, FigureId } from '../api/figures.ts'
import { useSeries } from '../api/series.ts'
import { type LogFilters, seriesParams, type WindowTimes } from '../search/log-search.ts'
import { FIGURES, type FigureRow, toRows } from './figure-rows.ts'

export interface FigureRows {
  /** Worst first. Undefined while it is loading. */
  readonly rows: readonly FigureRow[] | undefined
  /** Number of rows that the server has not listed. */
  readonly more: number
  readonly error: Error | null
  readonly retry: () => void
}

const ROWS_MAX = 200

export function useFigureRows(
  figures: Definitions,
  group: Series['group'],
  period: WindowTimes,
  filters: LogFilters,
): FigureRows {
  const ask = (figure: FigureId) => {
    const params = seriesParams(group, 'hour', period, filters)
    params.set('figure', figure)
    params.set('limit', String(ROWS_MAX))
    return params
  }
  const asked = {
    delivered: useSeries(ask('delivered'), { refetchMs: 60_000 }),
    bounced: useSeries(ask('bounced'), { refetchMs: 60_000 }),
    late_bounces: useSeries(ask('late_bounces'), { refetchMs: 60_000 }),
    deferred: useSeries(ask('deferred'), { refetchMs: 60_000 }),
    complaints: useSeries(ask('complaints'), { refetchMs: 60_000 }),
  }
  const queries = FIGURES.map((id) => asked[id])
  const isLoaded = queries.every(({ data }) => data?.group === group)
  return {
    rows: isLoaded ? toRows(figures, Object.fromEntries(FIGURES.map((id) => [id, asked[id].data]))) : undefined,
    more: Math.max(...queries.map(({ data }) => data?.rest.keys ?? 0)),
    error: queries.find(({ error }) => error)?.error ?? null,
    retry: () => {
      for (const { error, refetch } of queries) if (error) void refetch()
    },
  }
}
