/** The overview: what has changed, four figures, a chart, providers, and reasons for failures. Everything links to the log. */
import { Suspense, useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import { useDomains } from '../api/domains.ts'
import { totalsOf, useFigures } from '../api/figures.ts'
import { useQuotas } from '../api/quotas.ts'
import { useReading } from '../api/reading.ts'
import { useSeries } from '../api/series.ts'
import { useIsAdmin } from '../api/session.ts'
import { lazyPart } from '../frame/lazy-part.tsx'
import { Page } from '../kit/page.tsx'
import { Segments } from '../kit/segments.tsx'
import { Failure } from '../kit/states.tsx'
import { useNow } from '../kit/text/time.tsx'
import { RANGES, seriesParams } from '../search/log-search.ts'
import { EventQuota } from './event-quota.tsx'
import { FigureSkeletons, Figures } from './figures.tsx'
import { Findings } from './findings.tsx'
import {
  type Bucket,
  countParams,
  filtersOf,
  OVERVIEW_RANGES,
  type OverviewSearch,
  parseOverviewSearch,
  periodOf,
  writeOverviewSearch,
} from './overview-search.ts'
import { Providers } from './providers.tsx'
import { Reasons } from './reasons.tsx'
import { useInsights } from './use-insights.ts'
import './overview-page.css'

const Chart = lazyPart(() => import('./chart.tsx'))
const FirstSteps = lazyPart(() => import('../operator/start/first-steps.tsx'))

export default function OverviewPage() {
  const search = parseOverviewSearch(useSearch())
  const period = periodOf(search.last, search.bucket, useNow(60_000))
  const { fromMs, previousFromMs } = period
  // Requested first: it takes the longest, and the others wait for it.
  const insights = useInsights(search.domain)
  const figures = useFigures()
  const series = useSeries(countParams('figure', search, period), { refetchMs: 60_000 })
  // In hours even if the chart is in days: the preceding period may begin within a day.
  const preceding = { fromMs: previousFromMs, toMs: fromMs }
  const { data: previous } = useSeries(seriesParams('figure', 'hour', preceding, filtersOf(search)))
  const isAdmin = useIsAdmin()
  const { tenantId } = useReading()
  // A new installation, perhaps: without mail there is nothing else to show.
  const isEmpty = series.data?.series.every(({ total }) => total === 0) ?? false
  // It is loaded meanwhile, and drawn when its place is known: it does not move.
  const quotas = useQuotas(60_000)
  const isSettled = insights.isSettled && !quotas.isLoading
  const [isDrawn, setDrawn] = useState(isSettled)
  if (isSettled && !isDrawn) setDrawn(true)
  // As high as the chart with its legend, so that nothing moves when it arrives.
  const placeholder = (
    <>
      <div className="chart-legend" />
      <div className="chart-area" />
    </>
  )
  return (
    <Page title="Overview" actions={<Controls search={search} />}>
      {series.error && <Failure what="Could not load the counts" error={series.error} onRetry={series.refetch} />}
      {isAdmin && tenantId === undefined && isEmpty && (
        <Suspense>
          <FirstSteps />
        </Suspense>
      )}
      <Findings shown={insights} />
      {!isDrawn && <FigureSkeletons />}
      <div className="stack gap-16 overview-rest" data-drawn={isDrawn}>
        <EventQuota quotas={quotas.data} />
        <Figures
          definitions={figures}
          series={series.data}
          before={previous && totalsOf(previous)}
          search={search}
          period={period}
        />
        <section className="stack section" aria-label="Over time">
          <h2>Over time</h2>
          <div className="box chart">
            <Suspense fallback={placeholder}>
              {series.data && figures ? <Chart series={series.data} figures={figures} search={search} /> : placeholder}
            </Suspense>
          </div>
        </section>
        {figures && (
          <>
            <Providers figures={figures} search={search} period={period} />
            <div className="stack overview-columns">
              <Reasons title="Bounce reasons" figure={figures.bounced} tone="red" search={search} period={period} />
              <Reasons
                title="Late bounce reasons"
                figure={figures.late_bounces}
                tone="rose"
                search={search}
                period={period}
              />
              <Reasons
                title="Deferral reasons"
                figure={figures.deferred}
                tone="amber"
                search={search}
                period={period}
              />
            </div>
          </>
        )}
      </div>
    </Page>
  )
}

const BUCKETS: readonly { readonly value: Bucket; readonly label: string }[] = [
  { value: 'hour', label: 'Hourly' },
  { value: 'day', label: 'Daily' },
]

function Controls({ search }: { readonly search: OverviewSearch }) {
  const [, navigate] = useLocation()
  const { data } = useDomains()
  const change = (next: Partial<OverviewSearch>) => navigate(`/overview${writeOverviewSearch({ ...search, ...next })}`)
  const names = data?.domains.map(({ name }) => name) ?? []
  return (
    <>
      <select
        className="input overview-select"
        aria-label="Domain"
        value={search.domain}
        onChange={(event) => change({ domain: event.currentTarget.value })}
      >
        <option value="">All domains</option>
        {[...new Set([...names, ...(search.domain === '' ? [] : [search.domain])])].map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <Segments
        label="Period"
        options={OVERVIEW_RANGES.map((range) => ({ value: range, label: RANGES[range].label.replace('Last ', '') }))}
        value={search.last}
        onChange={(last) => change({ last, bucket: parseOverviewSearch(`?last=${last}`).bucket })}
      />
      <Segments label="Interval" options={BUCKETS} value={search.bucket} onChange={(bucket) => change({ bucket })} />
    </>
  )
}
