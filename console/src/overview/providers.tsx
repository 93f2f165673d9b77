/** Deliveries and failures by mailbox provider, worst first. The rows add up to the figures. */

import { type ReactNode, useState } from 'react'
import { type Definitions, type FigureId, type Totals, wholeOf } from '../api/figures.ts'
import { HOUR_MS, sum, useSeries } from '../api/series.ts'
import { Button } from '../kit/button.tsx'
import { Spark } from '../kit/marks/spark.tsx'
import { Skeleton } from '../kit/states.tsx'
import { type Column, Table } from '../kit/table.tsx'
import { formatCount, formatDuration, formatShare } from '../kit/text/format.ts'
import { Linked } from '../kit/text/linked.tsx'
import { printable } from '../kit/text/printable.ts'
import { countParams, type OverviewSearch, overviewLink, type Period } from './overview-search.ts'
import { FAILURES, type Provider, rankRows, toneOfShare } from './provider-ranking.ts'
import { type ProviderTimes, useDeliveryTimes } from './use-delivery-times.ts'

interface ProvidersProps {
  readonly figures: Definitions
  readonly search: OverviewSearch
  readonly period: Period
}

/** Shown at first; the others on request. */
const ROWS_AT_FIRST = 12
/** Counts of one response, and keys of one, by the server. */
const COUNTS_MAX = 500_000
const KEYS_MAX = 1000

export function Providers({ figures, search, period }: ProvidersProps) {
  const { rows, sums, isPending } = useProviders(figures, search, period)
  const times = useDeliveryTimes(search, period)
  const [isWhole, setIsWhole] = useState(false)
  const shown = isWhole ? rows : rows.slice(0, ROWS_AT_FIRST)
  const hidden = rows.length - shown.length
  const others = sums && subtract(sums, shown)
  const max = Math.max(1, ...rows.map(({ totals }) => totals.delivered ?? 0))
  const columnOf = (id: FigureId): Column => ({
    title: figures[id].title,
    hint: figures[id].meaning,
    isNumber: true,
  })
  const columns = [
    'Provider',
    columnOf('delivered'),
    { title: 'Share of deliveries', isTitleHidden: true },
    ...FAILURES.map(columnOf),
    { title: 'Delivery time (median, 95 %)', hint: DELIVERY_TIME, isNumber: true },
  ]
  return (
    <section className="stack section" aria-label="Providers">
      <h2>Providers</h2>
      {rows.length === 0 && !others && (
        <div className="box">
          {isPending ? <Skeleton /> : <p className="nothing muted">No deliveries in this period.</p>}
        </div>
      )}
      {(rows.length > 0 || others) && (
        <Table columns={columns} className="providers">
          {shown.map(({ provider, totals }) => (
            <ProviderRow
              key={provider}
              name={<bdi>{printable(provider)}</bdi>}
              figures={figures}
              totals={totals}
              max={max}
              times={times.get(provider)}
              linkOf={(id) => overviewLink(search, period, figures[id].types, { provider: [provider] })}
            />
          ))}
          {others && (
            <ProviderRow
              name={
                <span className="muted">
                  {hidden > 0 ? `${formatCount(hidden)} others and unknown` : 'Other and unknown'}
                </span>
              }
              figures={figures}
              totals={others}
              max={max}
            />
          )}
        </Table>
      )}
      {rows.length > ROWS_AT_FIRST && (
        <p className="row wrap muted small">
          {isWhole
            ? `All ${formatCount(rows.length)} providers`
            : `The worst ${ROWS_AT_FIRST} of ${formatCount(rows.length)} providers`}
          , worst first.
          <Button onClick={() => setIsWhole(!isWhole)}>{isWhole ? 'Show fewer' : 'Show all'}</Button>
        </p>
      )}
    </section>
  )
}

interface ProviderRowProps {
  readonly name: ReactNode
  readonly figures: Definitions
  readonly totals: Totals
  /** The most deliveries of a row. */
  readonly max: number
  readonly times?: ProviderTimes | undefined
  readonly linkOf?: (id: FigureId) => string
}

function ProviderRow({ name, figures, totals, max, times, linkOf }: ProviderRowProps) {
  const { delivered = 0 } = totals
  return (
    <tr>
      <td className="foreign">{name}</td>
      <td className="number">
        <Linked href={linkOf?.('delivered')}>{formatCount(delivered)}</Linked>
      </td>
      <td className="bar-cell">
        {delivered > 0 && (
          <span className="bar tone-green" style={{ width: `${Math.min(1, delivered / max) * 100}%` }} />
        )}
      </td>
      {FAILURES.map((id) => {
        const { [id]: count = 0 } = totals
        const tone = toneOfShare(figures, totals, id)
        return (
          <td key={id} className="number">
            {count === 0 ? (
              <span className="muted">0</span>
            ) : (
              <Linked href={linkOf?.(id)} className={tone ? `toned tone-${tone}` : ''}>
                {formatCount(count)}{' '}
                <span className="share">{formatShare(count, wholeOf(figures[id], totals) ?? 0)}</span>
              </Linked>
            )}
          </td>
        )
      })}
      <td className="number">{times && <DeliveryTime times={times} />}</td>
    </tr>
  )
}

const DELIVERY_TIME =
  'Time from the reception of a message to its delivery: the median, then the time that 95 % of the messages did not exceed. ' +
  'Estimated from a sample.'

/** Events have whole seconds. */
function formatSeconds(seconds: number): string {
  return seconds === 0 ? '< 1 s' : formatDuration(seconds * 1000)
}

function DeliveryTime({ times: { median, percentile95, count, parts } }: { readonly times: ProviderTimes }) {
  if (median === null) return null
  const title = `Of ${formatCount(count)} sampled deliveries`
  return (
    <span className="row delivery-time" title={title}>
      <span className="delivery-spark">
        <Spark values={parts.map((part) => part.median ?? 0)} label="Median over time" />
      </span>
      {formatSeconds(median)}
      <span className="share">{percentile95 !== null && formatSeconds(percentile95)}</span>
    </span>
  )
}

/** Worst first; and the sums of all events, also of those without a provider, and of providers that the server has not listed. */
function useProviders(figures: Definitions, search: OverviewSearch, period: Period) {
  const counts = {
    delivered: useTotals(search, period, 'delivered'),
    bounced: useTotals(search, period, 'bounced'),
    late_bounces: useTotals(search, period, 'late_bounces'),
    deferred: useTotals(search, period, 'deferred'),
    complaints: useTotals(search, period, 'complaints'),
  }
  const ids = ['delivered', ...FAILURES] as const
  const loaded = ids.flatMap((id) => counts[id] ?? [])
  const totalsIn = (provider: string): Totals =>
    Object.fromEntries(ids.map((id) => [id, counts[id]?.byProvider.get(provider) ?? 0]))
  const names = new Set(loaded.flatMap(({ byProvider }) => [...byProvider.keys()]))
  // A count that is not listed may be anything.
  const isKnown = (provider: string) => loaded.every(({ byProvider, isCut }) => !isCut || byProvider.has(provider))
  const isPending = loaded.length < ids.length
  const known = isPending ? [] : [...names].filter((provider) => provider !== '' && isKnown(provider))
  const rows = rankRows(
    figures,
    known.map((provider) => ({ provider, totals: totalsIn(provider) })),
  )
  const sums: Totals | undefined = isPending
    ? undefined
    : Object.fromEntries(ids.map((id) => [id, counts[id]?.all ?? 0]))
  return { rows, sums, isPending }
}

/** What is left without these rows, so that the rows of the table add up; undefined if nothing is. */
function subtract(sums: Totals, rows: readonly Provider[]): Totals | undefined {
  const left = (Object.keys(sums) as FigureId[]).map(
    (id) => [id, (sums[id] ?? 0) - sum(rows.map(({ totals }) => totals[id] ?? 0))] as const,
  )
  return left.some(([, count]) => count > 0) ? Object.fromEntries(left) : undefined
}

function useTotals(search: OverviewSearch, period: Period, id: FigureId) {
  const params = countParams('provider', search, period, id)
  const buckets = Math.max(1, Math.ceil((period.toMs - period.fromMs) / HOUR_MS))
  params.set('limit', String(Math.min(KEYS_MAX, Math.floor(COUNTS_MAX / buckets))))
  const { data } = useSeries(params, { refetchMs: 60_000 })
  return (
    data && {
      byProvider: new Map(data.series.map(({ key, total }) => [key, total])),
      all: sum(data.series.map(({ total }) => total)) + data.rest.total,
      isCut: data.rest.keys > 0,
    }
  )
}
