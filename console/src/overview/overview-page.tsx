/** The overview: four figures, a chart, providers, and reasons for failures. Every number links to the log. */
import { lazy, Suspense } from 'react'
import { useLocation, useSearch } from 'wouter'
import { useDomains } from '../api/domains.ts'
import { useSeries } from '../api/series.ts'
import { Page } from '../kit/page.tsx'
import { Failure } from '../kit/states.tsx'
import { useNow } from '../kit/text/time.tsx'
import { RANGES, seriesParams } from '../search/log-search.ts'
import { Figures } from './figures.tsx'
import {
  type Bucket,
  filtersOf,
  OVERVIEW_RANGES,
  type OverviewSearch,
  parseOverviewSearch,
  periodOf,
  writeOverviewSearch,
} from './overview-search.ts'
import { Providers } from './providers.tsx'
import { Reasons } from './reasons.tsx'
import { totalsBetween } from './totals.ts'
import './overview-page.css'

const Chart = lazy(() => import('./chart.tsx'))

export default function OverviewPage() {
  const search = parseOverviewSearch(useSearch())
  const period = periodOf(search.last, search.bucket, useNow(60_000))
  const { fromMs, toMs, previousFromMs } = period
  const filters = filtersOf(search)
  const bothTimes = { fromMs: previousFromMs, toMs }
  const bothPeriods = useSeries(seriesParams('type', 'hour', bothTimes, filters), { refetchMs: 60_000 })
  const series = useSeries(seriesParams('type', search.bucket, period, filters), { refetchMs: 60_000 })
  const now = bothPeriods.data && totalsBetween(bothPeriods.data, fromMs, toMs)
  const before = bothPeriods.data && totalsBetween(bothPeriods.data, previousFromMs, fromMs)
  const placeholder = <div className="chart-area" />
  return (
    <Page title="Overview" actions={<Controls search={search} />}>
      {bothPeriods.error && (
        <Failure what="Could not load the counts" error={bothPeriods.error} onRetry={bothPeriods.refetch} />
      )}
      <Figures series={series.data} now={now} before={before} search={search} period={period} />
      <section className="stack section" aria-label="Over time">
        <h2>Over time</h2>
        <div className="box chart">
          <Suspense fallback={placeholder}>
            {series.data ? <Chart series={series.data} search={search} /> : placeholder}
          </Suspense>
        </div>
      </section>
      <Providers search={search} period={period} />
      <div className="stack overview-columns">
        <Reasons title="Bounce reasons" types={['Bounce', 'OOBBounce']} tone="red" search={search} period={period} />
        <Reasons title="Deferral reasons" types={['TransientFailure']} tone="amber" search={search} period={period} />
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

interface SegmentsProps<T extends string> {
  readonly label: string
  readonly options: readonly { readonly value: T; readonly label: string }[]
  readonly value: T
  readonly onChange: (value: T) => void
}

function Segments<T extends string>({ label, options, value, onChange }: SegmentsProps<T>) {
  return (
    <fieldset className="segments" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </fieldset>
  )
}
