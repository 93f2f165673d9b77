/** The four figures: received, delivered, bounced, complaints; each compared with the preceding period. */
import { Link } from 'wouter'
import type { Series } from '../../../src/http/v1/statistics/series.wire.ts'
import { sumSteps } from '../api/series.ts'
import { EVENT_KINDS, type EventType } from '../kit/marks/event-kinds.ts'
import { Spark } from '../kit/marks/spark.tsx'
import { formatCount, formatPercent, formatShare } from '../kit/text/format.ts'
import { type OverviewSearch, overviewLink, type Period } from './overview-search.ts'
import { COMPLAINT_LIMITS, complaintTone, finished, type Totals } from './totals.ts'

interface FiguresProps {
  /** The counts of the period, bucket by bucket. */
  readonly series: Series | undefined
  readonly now: Totals | undefined
  readonly before: Totals | undefined
  readonly search: OverviewSearch
  readonly period: Period
}

interface FigureKind {
  readonly title: string
  readonly type: EventType
  /** The figure is a share of this number; a plain count if missing. */
  readonly whole?: (totals: Totals) => number
  readonly detail: (count: string) => string
}

const KINDS: readonly FigureKind[] = [
  { title: 'Received', type: 'Reception', detail: () => 'messages' },
  { title: 'Delivered', type: 'Delivery', whole: finished, detail: (count) => `${count} accepted` },
  { title: 'Bounced', type: 'Bounce', whole: finished, detail: (count) => `${count} rejected` },
  {
    title: 'Complaints',
    type: 'Feedback',
    whole: ({ Delivery }) => Delivery,
    detail: (count) => `${count} reported as spam`,
  },
]

/** Compared with a much smaller period, every change is large and meaningless. */
const COMPARABLE_MIN = 20
const COMPARABLE_FACTOR = 10

function isComparable(now: Totals, before: Totals): boolean {
  return before.Reception >= COMPARABLE_MIN && before.Reception * COMPARABLE_FACTOR >= now.Reception
}

export function Figures({ series, now, before, search, period }: FiguresProps) {
  const compared = now && before && isComparable(now, before) ? before : undefined
  return (
    <div className="stack gap-12 figures">
      {KINDS.map((kind) => (
        <Figure
          key={kind.title}
          kind={kind}
          href={overviewLink(search, period, [kind.type])}
          series={series}
          now={now}
          before={compared}
        />
      ))}
    </div>
  )
}

interface FigureProps extends Pick<FiguresProps, 'series' | 'now' | 'before'> {
  readonly kind: FigureKind
  readonly href: string
}

function Figure({ kind: { title, type, whole, detail }, href, series, now, before }: FigureProps) {
  const share = (totals: Totals | undefined) =>
    totals && whole && whole(totals) > 0 ? totals[type] / whole(totals) : undefined
  const rate = share(now)
  const tone = type === 'Feedback' ? complaintTone(rate ?? 0) : 'green'
  const value = now && (whole ? formatShare(now[type], whole(now)) : formatCount(now[type]))
  const change = whole ? changeOfShare(rate, share(before)) : now && before && changeOfCount(now[type], before[type])
  return (
    <Link href={href} className="box stack gap-2 figure" title="Open these events in the log">
      <span className="soft medium">{title}</span>
      <span className={`figure-value ${tone === 'green' ? '' : `toned tone-${tone}`}`}>{value ?? '\u00a0'}</span>
      <span className="row wrap spread muted small figure-note">
        {now ? detail(formatCount(now[type])) : '\u00a0'}{' '}
        {change !== undefined && <span title="Compared with the preceding period">{change}</span>}
      </span>
      {type === 'Feedback' ? (
        <ComplaintScale rate={rate ?? 0} />
      ) : (
        <span className={`figure-spark tone-${EVENT_KINDS[type].tone}`}>
          <Spark values={sparkValues(series, type)} label={`${title} over time`} />
        </span>
      )}
    </Link>
  )
}

/** As many points as a sparkline can show. */
const MAX_POINTS = 60

function sparkValues(series: Series | undefined, type: EventType): readonly number[] {
  const counts = series?.series.find(({ key }) => key === type)?.counts ?? []
  return sumSteps(counts, Math.max(1, Math.ceil(counts.length / MAX_POINTS)))
}

function changeOfCount(now: number, before: number): string {
  const change = (now - before) / before
  return `${sign(change)}${formatPercent(Math.abs(change))}`
}

/** In percentage points: from 2 % to 3 % is one point. */
function changeOfShare(now: number | undefined, before: number | undefined): string | undefined {
  if (now === undefined || before === undefined) return undefined
  const points = (now - before) * 100
  return `${sign(points)}${Math.abs(points).toFixed(Math.abs(points) < 1 ? 2 : 1)} points`
}

function sign(change: number): string {
  return change > 0 ? '+' : change < 0 ? '−' : '±'
}

/** The rate on a scale with the limits that mailbox providers publish. */
function ComplaintScale({ rate }: { readonly rate: number }) {
  const end = COMPLAINT_LIMITS.max * 1.25
  const position = (value: number) => `${Math.min(100, (value / end) * 100)}%`
  return (
    <span className="scale">
      <span className={`scale-fill tone-${complaintTone(rate)}`} style={{ width: position(rate) }} />
      <span className="scale-limit" style={{ left: position(COMPLAINT_LIMITS.target) }}>
        <span>0.1 %</span>
      </span>
      <span className="scale-limit" style={{ left: position(COMPLAINT_LIMITS.max) }}>
        <span>0.3 %</span>
      </span>
      <span className="visually-hidden">
        Gmail and Yahoo require less than 0.3 %; Gmail recommends less than 0.1 %.
      </span>
    </span>
  )
}
