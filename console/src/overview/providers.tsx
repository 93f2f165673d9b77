/** Where mail goes, and how each provider takes it. */
import { Link } from 'wouter'
import type { Series } from '../../../src/http/v1/series.wire.ts'
import type { EventType } from '../kit/event-kinds.ts'
import { formatCount, formatShare } from '../kit/format.ts'
import { printable } from '../kit/printable.ts'
import { Skeleton } from '../kit/states.tsx'
import { logLink } from '../log/log-search.ts'
import { filtersOf, windowOf } from './figures.tsx'
import type { OverviewSearch, Period } from './overview-search.ts'
import { complaintTone } from './totals.ts'
import { useSeries } from './use-series.ts'

interface ProvidersProps {
  readonly search: OverviewSearch
  readonly period: Period
}

const ROWS_MOST = 12

export function Providers({ search, period }: ProvidersProps) {
  const { domain } = search
  const question = { group: 'provider', bucket: 'hour', fromMs: period.fromMs, toMs: period.toMs, domain } as const
  const delivered = useSeries({ ...question, types: ['Delivery'] })
  const deferred = useSeries({ ...question, types: ['TransientFailure'] })
  const bounced = useSeries({ ...question, types: ['Bounce'] })
  const complained = useSeries({ ...question, types: ['Feedback'] })
  const rows = listRows(delivered.data, deferred.data, bounced.data, complained.data)
  const most = Math.max(1, ...rows.map((row) => row.delivered))
  const link = (provider: string, types: readonly EventType[]) =>
    logLink({ filters: { ...filtersOf(search, types), provider: [provider] }, window: windowOf(period) })
  return (
    <section className="section" aria-label="Providers">
      <h2>Providers</h2>
      <div className="box table-scroll">
        {!delivered.data && <Skeleton lines={4} />}
        {delivered.data && rows.length === 0 && <p className="nothing">Nothing was delivered in this period.</p>}
        {rows.length > 0 && (
          <table className="table providers">
            <thead>
              <tr>
                <th>Provider</th>
                <th className="number">Delivered</th>
                <td className="bar-cell" />
                <th className="number">Deferred</th>
                <th className="number">Bounced</th>
                <th className="number">Complaints</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.provider}>
                  <td className="foreign">
                    <bdi>{printable(row.provider)}</bdi>
                  </td>
                  <td className="number">
                    <Link href={link(row.provider, ['Delivery'])}>{formatCount(row.delivered)}</Link>
                  </td>
                  <td className="bar-cell">
                    <span className="bar tone-green" style={{ width: `${(row.delivered / most) * 100}%` }} />
                  </td>
                  <td className="number">
                    <Link href={link(row.provider, ['TransientFailure'])}>
                      {formatShare(row.deferred, row.delivered + row.bounced + row.deferred)}
                    </Link>
                  </td>
                  <td className="number">
                    <Link href={link(row.provider, ['Bounce'])}>
                      {formatShare(row.bounced, row.delivered + row.bounced)}
                    </Link>
                  </td>
                  <td className="number">
                    <ComplaintLink
                      href={link(row.provider, ['Feedback'])}
                      complained={row.complained}
                      delivered={row.delivered}
                    />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </div>
    </section>
  )
}

function ComplaintLink(props: { readonly href: string; readonly complained: number; readonly delivered: number }) {
  const { href, complained, delivered } = props
  const tone = complaintTone(delivered === 0 ? 0 : complained / delivered)
  return (
    <Link href={href} className={tone === 'green' ? '' : `toned tone-${tone}`}>
      {formatShare(complained, delivered)}
    </Link>
  )
}

interface ProviderRow {
  readonly provider: string
  readonly delivered: number
  readonly deferred: number
  readonly bounced: number
  readonly complained: number
}

function listRows(
  ...[delivered, deferred, bounced, complained]: readonly (Series | undefined)[]
): readonly ProviderRow[] {
  const totalOf = (series: Series | undefined, provider: string) =>
    series?.series.find(({ key }) => key === provider)?.total ?? 0
  const providers = new Set([delivered, bounced].flatMap((series) => series?.series.map(({ key }) => key) ?? []))
  return [...providers]
    .filter((provider) => provider !== '')
    .map((provider) => ({
      provider,
      delivered: totalOf(delivered, provider),
      deferred: totalOf(deferred, provider),
      bounced: totalOf(bounced, provider),
      complained: totalOf(complained, provider),
    }))
    .toSorted((one, other) => other.delivered - one.delivered)
    .slice(0, ROWS_MOST)
}
