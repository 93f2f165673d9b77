/** Why mail did not get through: the classes of failures, the most frequent first. */
import { Link } from 'wouter'
import type { EventType } from '../kit/event-kinds.ts'
import { formatCount } from '../kit/format.ts'
import { printable } from '../kit/printable.ts'
import { Skeleton } from '../kit/states.tsx'
import { logLink } from '../log/log-search.ts'
import { filtersOf, windowOf } from './figures.tsx'
import type { OverviewSearch, Period } from './overview-search.ts'
import { useSeries } from './use-series.ts'

interface ReasonsProps {
  readonly title: string
  readonly types: readonly EventType[]
  readonly tone: 'red' | 'amber'
  readonly search: OverviewSearch
  readonly period: Period
}

const ROWS_MOST = 8

export function Reasons({ title, types, tone, search, period }: ReasonsProps) {
  const { fromMs, toMs } = period
  const { data } = useSeries({ group: 'classification', bucket: 'hour', fromMs, toMs, types, domain: search.domain })
  const rows = data?.series.slice(0, ROWS_MOST) ?? []
  const most = Math.max(1, ...rows.map(({ total }) => total))
  return (
    <section className="section" aria-label={title}>
      <h2>{title}</h2>
      <div className="box reasons">
        {!data && <Skeleton lines={4} />}
        {data && rows.length === 0 && <p className="nothing">None in this period.</p>}
        <ul>
          {rows.map(({ key, total }) => (
            <li key={key}>
              <Link
                className="reason"
                href={logLink({
                  filters: { ...filtersOf(search, types), ...(key !== '' && { classification: [key] }) },
                  window: windowOf(period),
                })}
              >
                <span className="foreign">{key === '' ? 'Not classified' : spaced(printable(key))}</span>
                <span className="bar-cell">
                  <span className={`bar tone-${tone}`} style={{ width: `${(total / most) * 100}%` }} />
                </span>
                <span className="number">{formatCount(total)}</span>
              </Link>
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}

/** InvalidRecipient is easier to read as "Invalid recipient". */
function spaced(name: string): string {
  return name.replaceAll(/([a-z])([A-Z])/g, (_, end: string, start: string) => `${end} ${start.toLowerCase()}`)
}
