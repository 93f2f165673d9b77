/** How it goes: four figures, the course of things, where it sticks and why. Every figure leads into the log. */
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { useLocation, useSearch } from 'wouter'
import type { DomainSummaries } from '../../../src/http/v1/domains.wire.ts'
import { request } from '../api/request.ts'
import { useScope } from '../frame/session-context.ts'
import { Page } from '../kit/page.tsx'
import { Failure } from '../kit/states.tsx'
import { useNow } from '../kit/time.tsx'
import { RANGES } from '../log/log-search.ts'
import { Figures } from './figures.tsx'
import {
  OVERVIEW_RANGES,
  type OverviewSearch,
  parseOverviewSearch,
  periodOf,
  writeOverviewSearch,
} from './overview-search.ts'
import { Providers } from './providers.tsx'
import { Reasons } from './reasons.tsx'
import { totalsBetween } from './totals.ts'
import { useSeries } from './use-series.ts'
import './overview-page.css'

const Course = lazy(() => import('./course.tsx'))

export default function OverviewPage() {
  const search = parseOverviewSearch(useSearch())
  const nowMs = useNow(60_000)
  const period = periodOf(search.last, search.bucket, nowMs)
  const { domain, bucket } = search
  const both = useSeries({ group: 'type', bucket: 'hour', fromMs: period.previousFromMs, toMs: period.toMs, domain })
  const course = useSeries({ group: 'type', bucket, fromMs: period.fromMs, toMs: period.toMs, domain })
  const now = both.data && totalsBetween(both.data, period.fromMs, period.toMs)
  const before = both.data && totalsBetween(both.data, period.previousFromMs, period.fromMs)
  return (
    <Page title="Overview" actions={<Controls search={search} />}>
      {both.error && (
        <Failure what="The counts could not be read" error={both.error} onRetry={() => void both.refetch()} />
      )}
      <Figures course={course.data} now={now} before={before} search={search} period={period} />
      <section className="section" aria-label="Over time">
        <h2>Over time</h2>
        <div className="box course">
          <Suspense fallback={<div className="course-space" />}>
            {course.data ? <Course series={course.data} domain={domain} /> : <div className="course-space" />}
          </Suspense>
        </div>
      </section>
      <Providers search={search} period={period} />
      <div className="overview-columns">
        <Reasons title="Why mail bounced" types={['Bounce', 'OOBBounce']} tone="red" search={search} period={period} />
        <Reasons
          title="Why mail was deferred"
          types={['TransientFailure']}
          tone="amber"
          search={search}
          period={period}
        />
      </div>
    </Page>
  )
}

function Controls({ search }: { readonly search: OverviewSearch }) {
  const [, navigate] = useLocation()
  const canList = useScope('domains')
  const { data } = useQuery({
    queryKey: ['domains'],
    queryFn: ({ signal }) => request<DomainSummaries>('/v1/domains', { signal }),
    enabled: canList,
  })
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
      <Segments
        label="Step"
        options={[
          { value: 'hour', label: 'Hour' },
          { value: 'day', label: 'Day' },
        ]}
        value={search.bucket}
        onChange={(bucket) => change({ bucket })}
      />
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
