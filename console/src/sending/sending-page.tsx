/** Sending addresses, sources and pools: volume and failures of each, by provider and over time. For the operator. */
import { Suspense } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import { type Definitions, useFigures } from '../api/figures.ts'
import { useSeries } from '../api/series.ts'
import { lazyPart } from '../frame/lazy-part.tsx'
import { Page } from '../kit/page.tsx'
import { Segments } from '../kit/segments.tsx'
import { Empty, Failure, Skeleton } from '../kit/states.tsx'
import { formatCount } from '../kit/text/format.ts'
import { printable } from '../kit/text/printable.ts'
import { useNow } from '../kit/text/time.tsx'
import { OVERVIEW_RANGES, overviewLink, periodOf } from '../overview/overview-search.ts'
import { RANGES, seriesParams, type WindowTimes } from '../search/log-search.ts'
import { FigureTable } from './figure-table.tsx'
import {
  ORIGIN_NAMES,
  ORIGINS,
  originFilter,
  parseSendingSearch,
  type SendingSearch,
  sendingLink,
} from './sending-search.ts'
import { useFigureRows } from './use-figure-rows.ts'
import '../overview/overview-page.css'
import './sending-page.css'

const Chart = lazyPart(() => import('../overview/chart.tsx'))

/** Keys that cannot be searched for: origins beyond those that the server counts separately, and those without a value. */
const UNNAMED: Readonly<Record<string, string>> = { '(other)': 'Others', '': 'Not reported' }
const ANY_DOMAIN = { domain: '' }

export default function SendingPage() {
  const search = parseSendingSearch(useSearch())
  const period = periodOf(search.last, 'hour', useNow(60_000))
  const figures = useFigures()
  return (
    <Page
      title="Sending"
      note="Where messages were sent from, as far as the mail servers report it."
      actions={<Controls search={search} />}
    >
      {figures ? <Origins figures={figures} search={search} period={period} /> : <Skeleton lines={8} />}
    </Page>
  )
}

interface PartProps {
  readonly figures: Definitions
  readonly search: SendingSearch
  readonly period: WindowTimes
}

function Origins({ figures, search, period }: PartProps) {
  const { group, label, plural } = ORIGINS[search.by]
  const { rows, more, error, retry } = useFigureRows(figures, group, period, {})
  if (error) return <Failure what="Could not load the counts" error={error} onRetry={retry} />
  if (!rows) return <Skeleton lines={8} />
  if (rows.length === 0) {
    return (
      <Empty icon="sending" title={`No sending ${plural} in this period`}>
        <p>
          They are counted if the mail server reports them with its events. Choose a longer period, or see the
          documentation of its connector.
        </p>
      </Empty>
    )
  }
  return (
    <>
      {search.value !== '' && <OneOrigin figures={figures} search={search} period={period} />}
      <section className="stack section" aria-label={`Sending ${plural}`}>
        <h2>All {plural}</h2>
        <FigureTable
          title={label}
          figures={figures}
          rows={rows}
          chosen={search.value}
          nameOf={(key) =>
            UNNAMED[key] !== undefined ? (
              <span className="muted">{UNNAMED[key]}</span>
            ) : (
              <Link href={sendingLink({ ...search, value: key })} aria-current={key === search.value || undefined}>
                <bdi>{printable(key)}</bdi>
              </Link>
            )
          }
          linkOf={(key, id) =>
            UNNAMED[key] !== undefined
              ? undefined
              : overviewLink(ANY_DOMAIN, period, figures[id].types, originFilter(search, key))
          }
        />
        {more > 0 && <p className="muted small">{formatCount(more)} more with less mail are not listed.</p>}
      </section>
    </>
  )
}

/** One address, source or pool: over time, and by provider. */
function OneOrigin({ figures, search, period }: PartProps) {
  const filters = originFilter(search, search.value)
  const series = useSeries(seriesParams('figure', 'hour', period, filters), { refetchMs: 60_000 })
  const { rows, error, retry } = useFigureRows(figures, 'provider', period, filters)
  const shown = { last: search.last, domain: '', bucket: search.last === '24h' ? 'hour' : 'day' } as const
  return (
    <section className="stack section" aria-label="In detail">
      <h2 className="row wrap spread">
        <span>
          {ORIGINS[search.by].label} <bdi className="foreign">{printable(search.value)}</bdi>
        </span>
        <Link className="button button-quiet" href={sendingLink({ ...search, value: '' })}>
          Close
        </Link>
      </h2>
      <div className="box chart">
        <Suspense fallback={<Skeleton lines={6} />}>
          {series.data ? (
            <Chart series={series.data} figures={figures} search={shown} filters={filters} />
          ) : (
            <Skeleton lines={6} />
          )}
        </Suspense>
      </div>
      {error && <Failure what="Could not load the providers" error={error} onRetry={retry} />}
      {!rows && !error && <Skeleton />}
      {rows && (
        <FigureTable
          title="Provider"
          figures={figures}
          rows={rows}
          nameOf={(key) => (key === '' ? <span className="muted">Unknown</span> : <bdi>{printable(key)}</bdi>)}
          linkOf={(key, id) =>
            key === ''
              ? undefined
              : overviewLink(ANY_DOMAIN, period, figures[id].types, { ...filters, provider: [key] })
          }
        />
      )}
    </section>
  )
}

function Controls({ search }: { readonly search: SendingSearch }) {
  const [, navigate] = useLocation()
  return (
    <>
      <Segments
        label="By"
        options={ORIGIN_NAMES.map((by) => ({ value: by, label: ORIGINS[by].label }))}
        value={search.by}
        onChange={(by) => navigate(sendingLink({ ...search, by, value: '' }))}
      />
      <Segments
        label="Period"
        options={OVERVIEW_RANGES.map((range) => ({ value: range, label: RANGES[range].label.replace('Last ', '') }))}
        value={search.last}
        onChange={(last) => navigate(sendingLink({ ...search, last }))}
      />
    </>
  )
}
