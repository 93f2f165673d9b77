/** How much of what happened when, over the window: a bar for each stretch of time. A click or a drag looks closer. */
import { useQuery } from '@tanstack/react-query'
import { type PointerEvent, useMemo, useRef, useState } from 'react'
import type { Series } from '../../../src/http/v1/series.wire.ts'
import { request } from '../api/request.ts'
import { useCurrentSession } from '../frame/session-context.ts'
import { EVENT_KINDS, EVENT_TYPES, type EventType } from '../kit/event-kinds.ts'
import { formatCount, formatDayOfMonth, formatShortClock } from '../kit/format.ts'
import { type Bin, binSeries, seriesBucket } from './bin-series.ts'
import { FILTER_LABELS, type FilterName, type LogSearch, windowTimes } from './log-search.ts'
import type { ChangeSearch } from './use-log-search.ts'
import './histogram.css'

interface HistogramProps {
  readonly search: LogSearch
  readonly onChange: ChangeSearch
  readonly nowMs: number
  readonly epoch: number
}

/** Counts are kept by the hour: a shorter window would be one bar. */
const SHORTEST_MS = 3 * 3_600_000
const BARS_MOST = 96
/** What the counts know about an event. */
const COUNTED: readonly FilterName[] = ['type', 'domain', 'provider', 'classification']

export function Histogram({ search, onChange, nowMs, epoch }: HistogramProps) {
  const { retentionDays } = useCurrentSession()
  const times = windowTimes(search.window, nowMs, retentionDays)
  const isShort = times.toMs - times.fromMs < SHORTEST_MS
  const params = seriesParams(search, times)
  const { data } = useQuery({
    queryKey: ['series', 'histogram', params, epoch],
    queryFn: ({ signal }) => request<Series>(`/v1/stats/series?${params}`, { signal }),
    placeholderData: (former) => former,
    refetchInterval: search.isLive ? 30_000 : false,
    enabled: !isShort,
  })
  const bins = useMemo(() => (data ? binSeries(data, BARS_MOST) : []), [data])
  if (isShort) return null
  const zoom = (fromMs: number, toMs: number) =>
    onChange({ ...search, window: { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() } })
  return (
    <figure className="histogram">
      <Bars bins={bins} onZoom={zoom} />
      <figcaption>
        <Caption search={search} bins={bins} isKnown={data !== undefined} />
      </figcaption>
    </figure>
  )
}

function seriesParams(
  { filters }: LogSearch,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): string {
  const params = new URLSearchParams({ group: 'type', bucket: seriesBucket(fromMs, toMs, BARS_MOST) })
  // By the hour, so that the same is asked for a while.
  params.set('from', new Date(Math.floor(fromMs / 3_600_000) * 3_600_000).toISOString())
  params.set('to', new Date(Math.ceil(toMs / 3_600_000) * 3_600_000).toISOString())
  for (const name of COUNTED) for (const value of filters[name] ?? []) params.append(name, value)
  return params.toString()
}

/** The number, and honestly what it leaves out. */
function Caption({
  search,
  bins,
  isKnown,
}: {
  readonly search: LogSearch
  readonly bins: readonly Bin[]
  readonly isKnown: boolean
}) {
  const uncounted = [
    ...(search.q === '' ? [] : ['search']),
    ...(Object.keys(search.filters) as FilterName[])
      .filter((name) => !COUNTED.includes(name))
      .map((name) => FILTER_LABELS[name].toLowerCase()),
  ]
  const total = bins.reduce((sum, bin) => sum + bin.total, 0)
  if (!isKnown) return <span>&nbsp;</span>
  return (
    <>
      <span>
        {formatCount(total)} {total === 1 ? 'event' : 'events'}
      </span>
      {uncounted.length > 0 && <span className="muted"> before {uncounted.join(', ')}</span>}
    </>
  )
}

interface BarsProps {
  readonly bins: readonly Bin[]
  readonly onZoom: (fromMs: number, toMs: number) => void
}

function Bars({ bins, onZoom }: BarsProps) {
  const area = useRef<HTMLDivElement>(null)
  const [hovered, setHovered] = useState<number>()
  const [dragFrom, setDragFrom] = useState<number>()
  const most = Math.max(1, ...bins.map(({ total }) => total))
  const indexAt = (event: PointerEvent): number => {
    const { left, width } = area.current?.getBoundingClientRect() ?? { left: 0, width: 1 }
    return Math.min(bins.length - 1, Math.max(0, Math.floor(((event.clientX - left) / width) * bins.length)))
  }
  const marked =
    dragFrom === undefined || hovered === undefined
      ? undefined
      : ([Math.min(dragFrom, hovered), Math.max(dragFrom, hovered)] as const)
  const share = (count: number) => `${(count / Math.max(1, bins.length)) * 100}%`
  const shown = hovered === undefined ? undefined : bins[hovered]
  return (
    <div
      ref={area}
      className="histogram-area"
      onPointerMove={(event) => setHovered(indexAt(event))}
      onPointerLeave={() => {
        setHovered(undefined)
        setDragFrom(undefined)
      }}
      onPointerDown={(event) => setDragFrom(indexAt(event))}
      onPointerUp={() => {
        setDragFrom(undefined)
        const [from, to] = [bins[marked?.[0] ?? -1], bins[marked?.[1] ?? -1]]
        if (from && to) onZoom(from.fromMs, to.toMs)
      }}
    >
      <svg
        className="histogram-bars"
        viewBox={`0 0 ${Math.max(1, bins.length)} 1`}
        preserveAspectRatio="none"
        role="img"
        aria-label={describe(bins)}
      >
        {bins.map((bin, index) => (
          <Bar key={bin.fromMs} bin={bin} index={index} most={most} />
        ))}
      </svg>
      {marked && (
        <div className="histogram-mark" style={{ left: share(marked[0]), width: share(marked[1] - marked[0] + 1) }} />
      )}
      {shown && hovered !== undefined && (
        <div
          className="histogram-tip"
          data-side={hovered > bins.length / 2 ? 'left' : 'right'}
          style={{ left: share(hovered + 0.5) }}
        >
          <BinWords bin={shown} />
        </div>
      )}
    </div>
  )
}

function Bar({ bin, index, most }: { readonly bin: Bin; readonly index: number; readonly most: number }) {
  let top = 1
  return EVENT_TYPES.map((type) => {
    const height = (bin.counts[type] ?? 0) / most
    top -= height
    if (height === 0) return null
    return (
      <rect
        key={type}
        className={`tone-${EVENT_KINDS[type].tone}`}
        x={index + 0.09}
        y={top}
        width={0.82}
        height={height}
      />
    )
  })
}

function BinWords({ bin }: { readonly bin: Bin }) {
  return (
    <>
      <strong>
        {formatDayOfMonth(bin.fromMs)} {formatShortClock(bin.fromMs)} – {formatShortClock(bin.toMs)}
      </strong>
      {EVENT_TYPES.filter((type: EventType) => bin.counts[type]).map((type) => (
        <span key={type} className={`histogram-row tone-${EVENT_KINDS[type].tone}`}>
          <i className="swatch" />
          {EVENT_KINDS[type].label}
          <b>{formatCount(bin.counts[type] ?? 0)}</b>
        </span>
      ))}
      {bin.total === 0 && <span className="muted">nothing</span>}
    </>
  )
}

function describe(bins: readonly Bin[]): string {
  const [first, last] = [bins[0], bins.at(-1)]
  if (!first || !last) return 'Events over time'
  const total = bins.reduce((sum, bin) => sum + bin.total, 0)
  return `Events over time: ${total} from ${formatDayOfMonth(first.fromMs)} to ${formatDayOfMonth(last.toMs)}`
}
