/** The events of a figure by classification, most frequent first. The rows add up to the figure. */
import { Link } from 'wouter'
import type { Figure } from '../api/figures.ts'
import { sum, useSeries } from '../api/series.ts'
import { Skeleton } from '../kit/states.tsx'
import { formatCount } from '../kit/text/format.ts'
import { labelOfReason } from '../search/value-label.ts'
import { countParams, type OverviewSearch, overviewLink, type Period } from './overview-search.ts'

interface ReasonsProps {
  readonly title: string
  readonly figure: Figure
  readonly tone: 'red' | 'rose' | 'amber'
  readonly search: OverviewSearch
  readonly period: Period
}

const MAX_ROWS = 8

export function Reasons({ title, figure: { id, meaning, types }, tone, search, period }: ReasonsProps) {
  const { data } = useSeries(countParams('classification', search, period, id), { refetchMs: 60_000 })
  const rows = data?.series.slice(0, MAX_ROWS) ?? []
  const others = data ? sum(data.series.slice(MAX_ROWS).map(({ total }) => total)) + data.rest.total : 0
  const max = Math.max(1, ...rows.map(({ total }) => total))
  return (
    <section className="stack section" aria-label={title}>
      <h2 title={meaning}>{title}</h2>
      <div className="box reasons">
        {!data && <Skeleton />}
        {data && rows.length === 0 && <p className="nothing muted">None in this period.</p>}
        <ul>
          {rows.map(({ key, total }) => (
            <li key={key}>
              <Link
                className="stack gap-12 small hoverable reason"
                href={overviewLink(search, period, types, key === '' ? {} : { classification: [key] })}
              >
                <span className="foreign">{key === '' ? 'Unclassified' : labelOfReason(key)}</span>
                <span className="bar-cell">
                  <span className={`bar tone-${tone}`} style={{ width: `${(total / max) * 100}%` }} />
                </span>
                <span className="number">{formatCount(total)}</span>
              </Link>
            </li>
          ))}
          {others > 0 && (
            <li className="stack gap-12 small muted reason">
              <span>Other reasons</span>
              <span />
              <span className="number">{formatCount(others)}</span>
            </li>
          )}
        </ul>
      </div>
    </section>
  )
}
