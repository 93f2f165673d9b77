/** Rows of deliveries and failures, from the counts of each figure. */
import type { Series } from '../../../src/http/v1/statistics/series.wire.ts'
import type { Definitions, FigureId, Totals } from '../api/figures.ts'
import { FAILURES, rankRows } from '../overview/provider-ranking.ts'

export const FIGURES = ['delivered', ...FAILURES] as const

export interface FigureRow {
  readonly key: string
  readonly totals: Totals
  /** Deliveries by hour. */
  readonly delivered: readonly number[]
}

type Counts = Pick<Series, 'series'>

/** Worst first, as in the overview. */
export function toRows(
  definitions: Definitions,
  found: { readonly [id in FigureId]?: Counts | undefined },
): readonly FigureRow[] {
  const rows = new Map<string, { totals: Record<string, number>; delivered: readonly number[] }>()
  for (const id of FIGURES) {
    for (const { key, total, counts } of found[id]?.series ?? []) {
      const row = rows.get(key) ?? { totals: {}, delivered: counts.map(() => 0) }
      row.totals[id] = total
      if (id === 'delivered') row.delivered = counts
      rows.set(key, row)
    }
  }
  return rankRows(
    definitions,
    [...rows].map(([key, row]) => ({ key, ...row })),
  )
}
