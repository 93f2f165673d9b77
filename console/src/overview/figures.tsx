/** The four figures: received, delivered, bounced, complaints; each compared with the preceding period. */
import { Link } from 'wouter'
import type { Series } from '../../../src/http/v1/statistics/series.wire.ts'
import {
  type Figure as Definition,
  type Definitions,
  type FigureId,
  type Totals,
  totalsOf,
  wholeOf,
} from '../api/figures.ts'
import { sumSteps } from '../api/series.ts'
import { Spark } from '../kit/marks/spark.tsx'
import { formatCount, formatPercent, formatShare } from '../kit/text/format.ts'
import { COMPLAINT_LIMITS, complaintTone } from './complaint-limits.ts'
import { type OverviewSearch, overviewLink, type Period } from './overview-search.ts'

interface FiguresProps {
  readonly definitions: Definitions | undefined
  /** The counts of the period by figure, bucket by bucket. */
  readonly series: Series | undefined
  readonly before: Totals | undefined
  readonly search: OverviewSearch
  readonly period: Period
}

interface FigureKind {
  readonly id: FigureId
  readonly tone: string
  /** After the count, or instead of it. */
  readonly note: string
}

const KINDS: readonly FigureKind[] = [
  { id: 'received', tone: 'slate', note: 'messages' },
  { id: 'delivered', tone: 'green', note: 'accepted' },
  { id: 'bounced', tone: 'red', note: 'permanently failed' },
  { id: 'complaints', tone: 'violet', note: 'reported as spam' },
]

/** Compared with a much smaller period, every change is large and meaningless. */
const COMPARABLE_MIN = 20
const COMPARABLE_FACTOR = 10

function isComparable({ received: now = 0 }: Totals, { received: before = 0 }: Totals): boolean {
  return before >= COMPARABLE_MIN && before * COMPARABLE_FACTOR >= now
}

export function Figures({ definitions, series, before, search, period }: FiguresProps) {
  const now = series && totalsOf(series)
  const compared = now && before && isComparable(now, before) ? before : undefined
  return (
    <div className="stack gap-12 figures">
      {KINDS.map((kind) => {
        const definition = definitions?.[kind.id]
        return definition && series && now ? (
          <Figure
            key={kind.id}
            kind={kind}
            definition={definition}
            href={overviewLink(search, period, definition.types)}
            series={series}
            now={now}
            before={compared}
          />
        ) : (
          <FigureSkeleton key={kind.id} />
        )
      })}
    </div>
  )
}

/** Before anything is known. */
export function FigureSkeletons() {
  return (
    <div className="stack gap-12 figures">
      {KINDS.map(({ id }) => (
        <FigureSkeleton key={id} />
      ))}
    </div>
  )
}

/** As high as a figure, so that nothing moves when it arrives. */
function FigureSkeleton() {
  return (
    <span className="box stack gap-2 figure figure-empty" role="status" aria-label="Loading">
      <span className="skeleton-bar" />
      <span className="skeleton-bar" />
      <span className="skeleton-bar" />
    </span>
  )
}

interface FigureProps {
  readonly kind: FigureKind
  readonly definition: Definition
  readonly href: string
  readonly series: Series
  readonly now: Totals
  readonly before: Totals | undefined
}

function Figure({ kind: { id, tone, note }, definition, href, series, now, before }: FigureProps) {
  const { title, meaning } = definition
  const { [id]: count = 0 } = now
  const whole = wholeOf(definition, now)
  const rate = shareIn(definition, now)
  const rating = id === 'complaints' ? complaintTone(rate ?? 0) : 'green'
  const change =
    whole === undefined
      ? before && changeOfCount(count, before[id] ?? 0)
      : changeOfShare(rate, before && shareIn(definition, before))
  return (
    <Link href={href} className="box stack gap-2 figure" title={`${meaning} Opens these events in the log.`}>
      <span className="soft medium">{title}</span>
      <span className={`figure-value ${rating === 'green' ? '' : `toned tone-${rating}`}`}>
        {whole === undefined ? formatCount(count) : formatShare(count, whole)}
      </span>
      <span className="row wrap spread muted small figure-note">
        {whole === undefined ? note : `${formatCount(count)} ${note}`}{' '}
        {change !== undefined && <span title="Compared with the preceding period">{change}</span>}
      </span>
      {id === 'complaints' ? (
        <ComplaintScale rate={rate ?? 0} />
      ) : (
        <span className={`figure-spark tone-${tone}`}>
          <Spark values={sparkValues(series, id)} label={`${title} over time`} />
        </span>
      )}
    </Link>
  )
}

/** Undefined if the figure is only a count, or if there is nothing to be a share of. */
function shareIn(definition: Definition, totals: Totals): number | undefined {
  const whole = wholeOf(definition, totals) ?? 0
  return whole === 0 ? undefined : (totals[definition.id] ?? 0) / whole
}

/** As many points as a sparkline can show. */
const MAX_POINTS = 60

function sparkValues({ series }: Series, id: FigureId): readonly number[] {
  const counts = series.find(({ key }) => key === id)?.counts ?? []
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
