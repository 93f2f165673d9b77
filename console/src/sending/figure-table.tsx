/** A table of deliveries and failures with their shares. Every number links to its events in the log. */

import type { ReactNode } from 'react'
import { type Definitions, type FigureId, wholeOf } from '../api/figures.ts'
import { sumSteps } from '../api/series.ts'
import { Spark } from '../kit/marks/spark.tsx'
import { type Column, Table } from '../kit/table.tsx'
import { formatCount, formatShare } from '../kit/text/format.ts'
import { Linked } from '../kit/text/linked.tsx'
import { FAILURES, toneOfShare } from '../overview/provider-ranking.ts'
import type { FigureRow } from './figure-rows.ts'

interface FigureTableProps {
  /** The title of the first column. */
  readonly title: string
  readonly figures: Definitions
  readonly rows: readonly FigureRow[]
  readonly nameOf: (key: string) => ReactNode
  /** The row that is shown in detail. */
  readonly chosen?: string
  /** Undefined if its events cannot be searched for. */
  readonly linkOf: (key: string, id: FigureId) => string | undefined
}

const SPARK_POINTS = 24

export function FigureTable({ title, figures, rows, nameOf, chosen, linkOf }: FigureTableProps) {
  const columnOf = (id: FigureId): Column => ({
    title: figures[id].title,
    hint: figures[id].meaning,
    isNumber: true,
  })
  const columns = [title, columnOf('delivered'), 'Deliveries over time', ...FAILURES.map(columnOf)]
  return (
    <Table columns={columns} className="providers sending-table">
      {rows.map(({ key, totals, delivered }) => (
        <tr key={key} data-chosen={key === chosen}>
          <td className="foreign">{nameOf(key)}</td>
          <td className="number">
            <Linked href={linkOf(key, 'delivered')}>{formatCount(totals.delivered ?? 0)}</Linked>
          </td>
          <td className="sending-spark">
            <Spark
              values={sumSteps(delivered, Math.max(1, Math.ceil(delivered.length / SPARK_POINTS)))}
              label={`Deliveries over time: ${formatCount(totals.delivered ?? 0)} in all`}
            />
          </td>
          {FAILURES.map((id) => {
            const { [id]: count = 0 } = totals
            const tone = toneOfShare(figures, totals, id)
            return (
              <td key={id} className="number">
                {count === 0 ? (
                  <span className="muted">0</span>
                ) : (
                  <Linked href={linkOf(key, id)} className={tone ? `toned tone-${tone}` : ''}>
                    {formatCount(count)}{' '}
                    <span className="share">{formatShare(count, wholeOf(figures[id], totals) ?? 0)}</span>
                  </Linked>
                )}
              </td>
            )
          })}
        </tr>
      ))}
    </Table>
  )
}
