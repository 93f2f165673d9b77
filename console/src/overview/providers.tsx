/** Deliveries and failures by mailbox provider. */
import { Link } from 'wouter'
import { useSeries } from '../api/series.ts'
import type { EventType } from '../kit/marks/event-kinds.ts'
import { Skeleton } from '../kit/states.tsx'
import { Table } from '../kit/table.tsx'
import { formatCount, formatShare } from '../kit/text/format.ts'
import { printable } from '../kit/text/printable.ts'
import { seriesParams } from '../search/log-search.ts'
import { filtersOf, type OverviewSearch, overviewLink, type Period } from './overview-search.ts'
import { complaintTone } from './totals.ts'

const MAX_ROWS = 12
const COLUMNS = [
  'Provider',
  { title: 'Delivered', isNumber: true },
  { title: 'Share of deliveries', isTitleHidden: true },
  { title: 'Deferred', isNumber: true },
  { title: 'Bounced', isNumber: true },
  { title: 'Complaints', isNumber: true },
]

export function Providers({ search, period }: { readonly search: OverviewSearch; readonly period: Period }) {
  const { rows, isPending } = useProviders(search, period)
  const max = Math.max(1, ...rows.map((row) => row.delivered))
  return (
    <section className="stack section" aria-label="Providers">
      <h2>Providers</h2>
      {rows.length === 0 && (
        <div className="box">
          {isPending ? <Skeleton /> : <p className="nothing muted">No deliveries in this period.</p>}
        </div>
      )}
      {rows.length > 0 && (
        <Table columns={COLUMNS} className="providers">
          {rows.map(({ provider, delivered, deferred, bounced, complained }) => {
            const link = (type: EventType) => overviewLink(search, period, [type], { provider: [provider] })
            const tone = complaintTone(delivered === 0 ? 0 : complained / delivered)
            return (
              <tr key={provider}>
                <td className="foreign">
                  <bdi>{printable(provider)}</bdi>
                </td>
                <td className="number">
                  <Link href={link('Delivery')}>{formatCount(delivered)}</Link>
                </td>
                <td className="bar-cell">
                  <span className="bar tone-green" style={{ width: `${(delivered / max) * 100}%` }} />
                </td>
                <td className="number">
                  <Link href={link('TransientFailure')}>{formatShare(deferred, delivered + bounced + deferred)}</Link>
                </td>
                <td className="number">
                  <Link href={link('Bounce')}>{formatShare(bounced, delivered + bounced)}</Link>
                </td>
                <td className="number">
                  <Link href={link('Feedback')} className={tone === 'green' ? '' : `toned tone-${tone}`}>
                    {formatShare(complained, delivered)}
                  </Link>
                </td>
              </tr>
            )
          })}
        </Table>
      )}
    </section>
  )
}

/** The providers with the most deliveries. */
function useProviders(search: OverviewSearch, period: Period) {
  const delivered = useTotals(search, period, 'Delivery')
  const deferred = useTotals(search, period, 'TransientFailure')
  const bounced = useTotals(search, period, 'Bounce')
  const complained = useTotals(search, period, 'Feedback')
  const names = new Set([...(delivered?.keys() ?? []), ...(bounced?.keys() ?? [])])
  const rows = [...names]
    .filter((provider) => provider !== '')
    .map((provider) => ({
      provider,
      delivered: delivered?.get(provider) ?? 0,
      deferred: deferred?.get(provider) ?? 0,
      bounced: bounced?.get(provider) ?? 0,
      complained: complained?.get(provider) ?? 0,
    }))
    .toSorted((one, other) => other.delivered - one.delivered)
    .slice(0, MAX_ROWS)
  return { rows, isPending: !delivered }
}

function useTotals(search: OverviewSearch, period: Period, type: EventType): ReadonlyMap<string, number> | undefined {
  const { data } = useSeries(seriesParams('provider', 'hour', period, filtersOf(search, [type])), { refetchMs: 60_000 })
  return data && new Map(data.series.map(({ key, total }) => [key, total]))
}
