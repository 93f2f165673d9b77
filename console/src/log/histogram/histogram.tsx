/** Events by type over the window, as stacked bars. A click or a drag zooms in. */
import { type PointerEvent, useMemo, useRef, useState } from 'react'
import { HOUR_MS, sum, useSeries } from '../../api/series.ts'
import { useCurrentSession } from '../../api/session.ts'
import { EVENT_KINDS, EVENT_TYPES, type EventType } from '../../kit/marks/event-kinds.ts'
import { formatCount, formatDayOfMonth, formatShortClock } from '../../kit/text/format.ts'
import {
  FILTER_NAMES,
  FILTERS,
  fixedWindow,
  type LogSearch,
  seriesParams,
  type WindowTimes,
  windowTimes,
} from '../../search/log-search.ts'
import { useLogSearch } from '../../search/use-log-search.ts'
import { type Bin, binSeries, seriesBucket } from './bin-series.ts'
import './histogram.css'

/** Counts are hourly: a shorter window would be one or two bars. */
const MIN_WINDOW_MS = 3 * HOUR_MS
const MAX_BARS = 96

export function Histogram({ nowMs, epoch }: { readonly nowMs: number; readonly epoch: number }) {
  const [search, onChange] = useLogSearch()
  const { retentionDays } = useCurrentSession()
  const times = windowTimes(search.window, nowMs, retentionDays)
  const isTooShort = times.toMs - times.fromMs < MIN_WINDOW_MS
  const { data } = useSeries(countsParams(search, times), {
    isEnabled: !isTooShort,
    refetchMs: search.isLive && 30_000,
    epoch,
  })
  const bins = useMemo(() => (data ? binSeries(data, MAX_BARS) : []), [data])
  if (isTooShort) return null
  return (
    <figure className="histogram">
      <Bars bins={bins} onZoom={(zoomed) => onChange({ ...search, window: fixedWindow(zoomed) })} />
      <figcaption className="soft small">
        {data ? <Caption search={search} bins={bins} /> : <span>&nbsp;</span>}
      </figcaption>
    </figure>
  )
}

function countsParams({ filters }: LogSearch, { fromMs, toMs }: WindowTimes): URLSearchParams {
  const counted = FILTER_NAMES.filter((name) => filters[name] && FILTERS[name].isCounted)
  // Whole hours, so that the cached answer stays valid for a while.
  const hours = { fromMs: Math.floor(fromMs / HOUR_MS) * HOUR_MS, toMs: Math.ceil(toMs / HOUR_MS) * HOUR_MS }
  const bucket = seriesBucket(fromMs, toMs, MAX_BARS)
  return seriesParams('type', bucket, hours, Object.fromEntries(counted.map((name) => [name, filters[name]])))
}

/** The total, and which filters it does not take into account. */
function Caption({ search: { q, filters }, bins }: { readonly search: LogSearch; readonly bins: readonly Bin[] }) {
  const names = FILTER_NAMES.filter((name) => filters[name] && !FILTERS[name].isCounted)
  const uncounted = [...(q === '' ? [] : ['search text']), ...names.map((name) => FILTERS[name].label.toLowerCase())]
  const total = sum(bins.map((bin) => bin.total))
  return (
    <>
      <span>
        {formatCount(total)} {total === 1 ? 'event' : 'events'}
      </span>
      {uncounted.length > 0 && <span className="muted"> before filtering by {uncounted.join(', ')}</span>}
    </>
  )
}

function Bars({ bins, onZoom }: { readonly bins: readonly Bin[]; readonly onZoom: (times: WindowTimes) => void }) {
  const area = useRef<HTMLDivElement>(null)
  const [hovered, setHovered] = useState<number>()
  const [dragFrom, setDragFrom] = useState<number>()
  const max = Math.max(1, ...bins.map(({ total }) => total))
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
        if (from && to) onZoom({ fromMs: from.fromMs, toMs: to.toMs })
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
          <Bar key={bin.fromMs} bin={bin} index={index} max={max} />
        ))}
      </svg>
      {marked && (
        <div className="histogram-mark" style={{ left: share(marked[0]), width: share(marked[1] - marked[0] + 1) }} />
      )}
      {shown && hovered !== undefined && (
        <div
          className="overlay stack gap-2 small histogram-tip"
          data-side={hovered > bins.length / 2 ? 'left' : 'right'}
          style={{ left: share(hovered + 0.5) }}
        >
          <BinDetails bin={shown} />
        </div>
      )}
    </div>
  )
}

function Bar({ bin, index, max }: { readonly bin: Bin; readonly index: number; readonly max: number }) {
  let top = 1
  return EVENT_TYPES.map((type) => {
    const height = (bin.counts[type] ?? 0) / max
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

function BinDetails({ bin }: { readonly bin: Bin }) {
  return (
    <>
      <strong>
        {formatDayOfMonth(bin.fromMs)} {formatShortClock(bin.fromMs)} – {formatShortClock(bin.toMs)}
      </strong>
      {EVENT_TYPES.filter((type: EventType) => bin.counts[type]).map((type) => (
        <span key={type} className={`row gap-6 histogram-row tone-${EVENT_KINDS[type].tone}`}>
          <i className="swatch" />
          {EVENT_KINDS[type].label}
          <b>{formatCount(bin.counts[type] ?? 0)}</b>
        </span>
      ))}
      {bin.total === 0 && <span className="muted">No events</span>}
    </>
  )
}

function describe(bins: readonly Bin[]): string {
  const [first, last] = [bins[0], bins.at(-1)]
  if (!first || !last) return 'Events over time'
  const total = sum(bins.map((bin) => bin.total))
  return `Events over time: ${total} from ${formatDayOfMonth(first.fromMs)} to ${formatDayOfMonth(last.toMs)}`
}
