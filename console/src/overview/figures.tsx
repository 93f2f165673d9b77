/** The four figures: received, delivered, bounced, reported as spam; each with its change since the period before. */
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Series } from '../../../src/http/v1/series.wire.ts'
import { EVENT_KINDS, type EventType } from '../kit/event-kinds.ts'
import { formatCount, formatPercent, formatShare } from '../kit/format.ts'
import { Spark } from '../kit/spark.tsx'
import { logLink } from '../log/log-search.ts'
import type { OverviewSearch, Period } from './overview-search.ts'
import { COMPLAINT_LIMITS, complaintTone, finished, type Totals } from './totals.ts'

interface FiguresProps {
  /** Of the period, step by step. */
  readonly course: Series | undefined
  readonly now: Totals | undefined
  readonly before: Totals | undefined
  readonly search: OverviewSearch
  readonly period: Period
}

/** Beside next to nothing everything is a great change, and says nothing. */
const COMPARABLE_MIN = 20
const TIMES_MOST = 10

function isComparable(now: Totals, before: Totals): boolean {
  return before.Reception >= COMPARABLE_MIN && before.Reception * TIMES_MOST >= now.Reception
}

export function Figures({ course, now, before: former, search, period }: FiguresProps) {
  const before = now && former && isComparable(now, former) ? former : undefined
  const link = (types: readonly EventType[]) => logLink({ filters: filtersOf(search, types), window: windowOf(period) })
  const share = (totals: Totals | undefined, part: (totals: Totals) => number, whole: (totals: Totals) => number) =>
    totals && whole(totals) > 0 ? part(totals) / whole(totals) : undefined
  const delivered = (totals: Totals | undefined) => share(totals, ({ Delivery }) => Delivery, finished)
  const bounced = (totals: Totals | undefined) => share(totals, ({ Bounce }) => Bounce, finished)
  const complained = (totals: Totals | undefined) =>
    share(
      totals,
      ({ Feedback }) => Feedback,
      ({ Delivery }) => Delivery,
    )
  const spark = (type: EventType, label: string) => (
    <span className={`figure-spark tone-${EVENT_KINDS[type].tone}`}>
      <Spark values={valuesOf(course, type)} label={label} />
    </span>
  )
  return (
    <div className="figures">
      <Figure
        title="Received"
        href={link(['Reception'])}
        value={now && formatCount(now.Reception)}
        note={now && before && <Change words={changeOfCount(now.Reception, before.Reception)} />}
        detail="messages"
      >
        {spark('Reception', 'Receptions over time')}
      </Figure>
      <Figure
        title="Delivered"
        href={link(['Delivery'])}
        value={now && formatShare(now.Delivery, finished(now))}
        note={<Change words={changeOfShare(delivered(now), delivered(before))} />}
        detail={now && `${formatCount(now.Delivery)} accepted`}
      >
        {spark('Delivery', 'Deliveries over time')}
      </Figure>
      <Figure
        title="Bounced"
        href={link(['Bounce'])}
        value={now && formatShare(now.Bounce, finished(now))}
        note={<Change words={changeOfShare(bounced(now), bounced(before))} />}
        detail={now && `${formatCount(now.Bounce)} refused`}
      >
        {spark('Bounce', 'Bounces over time')}
      </Figure>
      <Figure
        title="Complaints"
        href={link(['Feedback'])}
        value={now && formatShare(now.Feedback, now.Delivery)}
        tone={complaintTone(complained(now) ?? 0)}
        note={<Change words={changeOfShare(complained(now), complained(before))} />}
        detail={now && `${formatCount(now.Feedback)} reported as spam`}
      >
        <ComplaintScale rate={complained(now) ?? 0} />
      </Figure>
    </div>
  )
}

/** At most so many points as a small line can show. */
const POINTS_MOST = 60

function valuesOf(course: Series | undefined, type: EventType): readonly number[] {
  const counts = course?.series.find(({ key }) => key === type)?.counts ?? []
  const step = Math.max(1, Math.ceil(counts.length / POINTS_MOST))
  return Array.from({ length: Math.ceil(counts.length / step) }, (_, index) =>
    counts.slice(index * step, (index + 1) * step).reduce((sum, count) => sum + count, 0),
  )
}

export function filtersOf({ domain }: OverviewSearch, types: readonly EventType[]) {
  return { type: types, ...(domain !== '' && { domain: [domain] }) }
}

export function windowOf({ fromMs, toMs }: Period) {
  return { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() }
}

interface FigureProps {
  readonly title: string
  readonly href: string
  readonly value: string | undefined
  readonly note?: ReactNode
  readonly detail?: string | undefined
  readonly tone?: 'green' | 'amber' | 'red'
  readonly children?: ReactNode
}

function Figure({ title, href, value, note, detail, tone, children }: FigureProps) {
  return (
    <Link href={href} className="box figure" title="Open these in the log">
      <span className="figure-title">{title}</span>
      <span className={`figure-value ${tone && tone !== 'green' ? `figure-tone tone-${tone}` : ''}`}>
        {value ?? '\u00a0'}
      </span>
      <span className="figure-note">
        {detail ?? '\u00a0'} {note}
      </span>
      {children}
    </Link>
  )
}

function Change({ words }: { readonly words: string | undefined }) {
  return words === undefined ? null : <span title="Compared with the period before">{words}</span>
}

function changeOfCount(now: number, before: number): string | undefined {
  const change = (now - before) / before
  return `${sign(change)}${formatPercent(Math.abs(change))}`
}

/** Shares differ by points: 2 % to 3 % is one point more, and half as much again. */
function changeOfShare(now: number | undefined, before: number | undefined): string | undefined {
  if (now === undefined || before === undefined) return undefined
  const points = (now - before) * 100
  return `${sign(points)}${Math.abs(points).toFixed(Math.abs(points) < 1 ? 2 : 1)} points`
}

function sign(change: number): string {
  return change > 0 ? '+' : change < 0 ? '−' : '±'
}

/** Where the rate stands between nothing and the limits that receivers publish. */
function ComplaintScale({ rate }: { readonly rate: number }) {
  const end = COMPLAINT_LIMITS.most * 1.25
  const place = (value: number) => `${Math.min(100, (value / end) * 100)}%`
  return (
    <span className="scale">
      <span className={`scale-fill tone-${complaintTone(rate)}`} style={{ width: place(rate) }} />
      <span className="scale-limit" style={{ left: place(COMPLAINT_LIMITS.target) }}>
        <span>0.1 %</span>
      </span>
      <span className="scale-limit" style={{ left: place(COMPLAINT_LIMITS.most) }}>
        <span>0.3 %</span>
      </span>
      <span className="visually-hidden">Gmail and Yahoo want less than 0.1 %, and never 0.3 %.</span>
    </span>
  )
}
