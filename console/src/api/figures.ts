/** The figures of the statistics as the server defines them, and counts by figure. */
import { useQuery } from '@tanstack/react-query'
import type { Figure, Figures } from '../../../src/http/v1/statistics/figures.wire.ts'
import type { Series } from '../../../src/http/v1/statistics/series.wire.ts'
import { sum } from './series.ts'

export type { Figure }
export type FigureId = Figure['id']
export type Definitions = Readonly<Record<FigureId, Figure>>

/** Undefined until they are loaded. They change only with the server. */
export function useFigures(): Definitions | undefined {
  const { data } = useQuery<Figures>({ queryKey: ['/v1/stats/figures'], staleTime: Number.POSITIVE_INFINITY })
  return data && (Object.fromEntries(data.figures.map((figure) => [figure.id, figure])) as unknown as Definitions)
}

/** Counts by figure; figures without events are absent. */
export type Totals = { readonly [id in FigureId]?: number }

/** Of counts that are grouped by figure. */
export function totalsOf({ series }: Pick<Series, 'series'>): Totals {
  return Object.fromEntries(series.map(({ key, total }) => [key, total]))
}

/** The number of which the figure is a share; undefined if it is only a count. */
export function wholeOf({ shareOf }: Figure, totals: Totals): number | undefined {
  return shareOf.length === 0 ? undefined : sum(shareOf.map((id) => totals[id] ?? 0))
}
