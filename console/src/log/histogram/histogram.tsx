/** Events by type over the window, as stacked bars. A click or a drag zooms in. */
import { type PointerEvent, useMemo, useRef, useState } from 'react'
import { HOUR_MS, sum, useSeries } from '../../api/series.ts'
import { useCurrentSession } from '../../api/session.ts'
import { EVENT_KINDS, EVENT_TYPES, type EventType } from '../../kit/marks/event-kinds.ts'
import { formatCount, formatDayOfMonth, formatShortClock, formatShortCount } from '../../kit/text/format.ts'
import {
  eventsParams,
  FILTER_NAMES,
  FILTERS,
  type FilterName,
  fixedWindow,
  type LogSearch,
  seriesParams,
  type WindowTimes,
  windowTimes,
} from '../../search/log-search.ts'
import { useLogSearch } from '../../search/use-log-search.ts'
import { describeCounted } from '../facets/facet-rail.tsx'
import { useFacets } from '../facets/use-facets.ts'
import { Axis } from './axis.tsx'
import { barParts, roundUp } from './bar-heights.ts'
import { type Bin, binFacets, binSeries, seriesBucket } from './bin-series.ts'
import './histogram.css'

/** Counts are by the hour: the bars of a shorter window visibly cover more than the window, and the caption says what. */
const SHORT_WINDOW_MS = 12 * HOUR_MS
const MAX_BARS = 96

export function Histogram({ nowMs, epoch }: { readonly nowMs: number; readonly epoch: number }) {
  const [search, onChange] = useLogSearch()
  const { retentionDays } = useCurrentSession()
  const times = windowTimes(search.window, nowMs, retentionDays)
  const options = { refetchMs: search.isLive && 30_000, epoch } as const
  // The counts by hour know some of the filters; with others the events themselves are counted.
  const isCounted = search.q === '' && listUncounted(search).length === 0
  const { data: series, dataUpdatedAt } = useSeries(countsParams(search, times), { isEnabled: isCounted, ...options })
  const params = eventsParams(search, nowMs, retentionDays).toString()
  const { data: facets } = useFacets(params, { isEnabled: !isCounted, ...options })
  const { fromMs, toMs } = times
  const bins = useMemo(() => {
    if (isCounted) return series ? binSeries(series, MAX_BARS) : []
    return facets ? binFacets(facets, { fromMs, toMs }) : []
  }, [isCounted, series, facets, fromMs, toMs])
  const note = isCounted ? describeHours(bins) : facets && !facets.isExact && ` ${describeCounted(facets, fromMs)}`
  return (
    <figure className="histogram">
      <Bars
        bins={bins}
        nowMs={Math.max(nowMs, dataUpdatedAt)}
        onZoom={(zoomed) => onChange({ ...search, window: fixedWindow(zoomed) })}
      />
      <Axis bins={bins} />
      <figcaption className="soft small">
        {bins.length > 0 ? <Caption bins={bins} note={note || ''} /> : <span>&nbsp;</span>}
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

function listUncounted({ filters }: LogSearch): readonly FilterName[] {
  return FILTER_NAMES.filter((name) => filters[name] && !FILTERS[name].isCounted)
}

function Caption({ bins, note }: { readonly bins: readonly Bin[]; readonly note: string }) {
  const total = sum(bins.map((bin) => bin.total))
  return (
    <span>
      {formatCount(total)} {total === 1 ? 'event' : 'events'}
      {note}
    </span>
  )
}

/** A short window rarely begins and ends with a whole hour, so the number of events in the list is smaller. */
function describeHours(bins: readonly Bin[]): string {
  const [first, last] = [bins[0], bins.at(-1)]
  if (!first || !last || last.toMs - first.fromMs > SHORT_WINDOW_MS) return ''
  return ` in the whole hours from ${formatShortClock(first.fromMs)} to ${formatShortClock(last.toMs)}`
}

interface BarsProps {
  readonly bins: readonly Bin[]
  /** When the counts were read: a bar that ends later is not complete. */
  readonly nowMs: number
  readonly onZoom: (times: WindowTimes) => void
}

function Bars({ bins, nowMs, onZoom }: BarsProps) {
  const area = useRef<HTMLDivElement>(null)
  const [hovered, setHovered] = useState<number>()
  const [dragFrom, setDragFrom] = useState<number>()
  const max = roundUp(Math.max(1, ...bins.map(({ total }) => total)))
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
      <span className="muted histogram-scale" aria-hidden="true">
        {bins.length > 0 && formatShortCount(max)}
      </span>
      <svg
        className="histogram-bars"
        viewBox={`0 0 ${Math.max(1, bins.length)} 1`}
        preserveAspectRatio="none"
        role="img"
        aria-label={describe(bins)}
      >
        {bins.map((bin, index) => (
          <Bar key={bin.fromMs} bin={bin} index={index} max={max} isUnfinished={bin.toMs > nowMs} />
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
          <BinDetails bin={shown} isUnfinished={shown.toMs > nowMs} />
        </div>
      )}
    </div>
  )
}

interface BarProps {
  readonly bin: Bin
  readonly index: number
  readonly max: number
  readonly isUnfinished: boolean
}

function Bar({ bin, index, max, isUnfinished }: BarProps) {
  let top = 1
  return barParts(bin, max).map(({ type, height }) => {
    top -= height
    return (
      <rect
        key={type}
        className={`tone-${EVENT_KINDS[type].tone}`}
        data-unfinished={isUnfinished}
        x={index + 0.09}
        y={top}
        width={0.82}
        height={height}
      />
    )
  })
}

function BinDetails({ bin, isUnfinished }: Pick<BarProps, 'bin' | 'isUnfinished'>) {
  return (
    <>
      <strong>
        {formatDayOfMonth(bin.fromMs)} {formatShortClock(bin.fromMs)} – {endOf(bin)}
      </strong>
      {isUnfinished && <span className="muted">Not over yet</span>}
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

/** With its day, if that is another one. */
function endOf({ fromMs, toMs }: Bin): string {
  const [from, to] = [formatDayOfMonth(fromMs), formatDayOfMonth(toMs - 1)]
  return from === to ? formatShortClock(toMs) : `${formatDayOfMonth(toMs)} ${formatShortClock(toMs)}`
}

function describe(bins: readonly Bin[]): string {
  const [first, last] = [bins[0], bins.at(-1)]
  if (!first || !last) return 'Events over time'
  const total = sum(bins.map((bin) => bin.total))
  return `Events over time: ${total} from ${formatDayOfMonth(first.fromMs)} to ${formatDayOfMonth(last.toMs)}`
}
