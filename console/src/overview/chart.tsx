/** Deliveries and failures over time as stacked areas. A click opens the log at that time. */
import { useEffect, useMemo, useRef, useState } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { useLocation } from 'wouter'
import type { Series } from '../../../src/http/v1/statistics/series.wire.ts'
import type { Definitions, FigureId } from '../api/figures.ts'
import { watchTheme } from '../frame/theme.ts'
import { formatCount, formatShortClock, formatWeekday } from '../kit/text/format.ts'
import type { LogFilters } from '../search/log-search.ts'
import { countOf, HEIGHT_PX, type Layer, listLayers, plotData, plotOptions } from './chart-plot.ts'
import { type OverviewSearch, overviewLink } from './overview-search.ts'
import { endOfBucket, sumDays } from './sum-days.ts'

interface ChartProps {
  /** By figure and hour. */
  readonly series: Series
  readonly figures: Definitions
  readonly search: OverviewSearch
  /** Of the counts, beside the domain: for the links to the log. */
  readonly filters?: LogFilters
}

export default function Chart({ series: hourly, figures, search, filters }: ChartProps) {
  const { bucket } = search
  const series = useMemo(() => (bucket === 'day' ? sumDays(hourly) : hourly), [hourly, bucket])
  const container = useRef<HTMLDivElement>(null)
  const [hidden, setHidden] = useState<readonly FigureId[]>([])
  const [hovered, setHovered] = useState<number>()
  const [themes, setThemes] = useState(0)
  const [, navigate] = useLocation()
  const layers = listLayers(figures)
  const shown = layers.filter(({ id }) => !hidden.includes(id))
  const open = useRef<(index: number) => void>(undefined)
  open.current = (index) => {
    const fromMs = Date.parse(series.times[index] ?? '')
    if (Number.isNaN(fromMs)) return
    const types = shown.flatMap((layer) => layer.types)
    navigate(overviewLink(search, { fromMs, toMs: endOfBucket(series, index) }, types, filters))
  }
  useEffect(() => watchTheme(() => setThemes((count) => count + 1)), [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: redrawn when the colours change; `shown` is derived from `hidden`
  useEffect(() => {
    const element = container.current
    if (!element) return
    const plot = new uPlot(
      plotOptions(element, shown, { onHover: setHovered, onClick: (index) => open.current?.(index) }),
      plotData(series, shown),
      element,
    )
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT_PX }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      plot.destroy()
    }
  }, [series, hidden, themes])
  return (
    <>
      <div className="row wrap gap-4 chart-legend">
        {layers.map((layer) => (
          <button
            key={layer.id}
            type="button"
            className={`button button-quiet legend tone-${layer.tone}`}
            title={layer.meaning}
            aria-pressed={!hidden.includes(layer.id)}
            onClick={() => setHidden(toggle(hidden, layer.id, layers.length))}
          >
            <i className="swatch" />
            {layer.title}
            <b>{formatCount(countOf(series, layer, hovered))}</b>
          </button>
        ))}
        <span className="push small muted">{hovered === undefined ? '' : timeOf(series, hovered)}</span>
      </div>
      <div ref={container} className="chart-area" role="img" aria-label={describe(series, layers)} />
    </>
  )
}

function toggle(hidden: readonly FigureId[], id: FigureId, count: number): readonly FigureId[] {
  if (hidden.includes(id)) return hidden.filter((other) => other !== id)
  // The last layer cannot be hidden: the chart would be empty.
  return hidden.length === count - 1 ? hidden : [...hidden, id]
}

function timeOf(series: Series, index: number): string {
  const { times, bucket } = series
  const timeMs = Date.parse(times[index] ?? '')
  if (Number.isNaN(timeMs)) return ''
  const until =
    bucket === 'hour' ? ` ${formatShortClock(timeMs)} – ${formatShortClock(endOfBucket(series, index))}` : ''
  return `${formatWeekday(timeMs)}${until}${index === times.length - 1 ? ', not over yet' : ''}`
}

function describe(series: Series, layers: readonly Layer[]): string {
  const words = layers.map((layer) => `${layer.title.toLowerCase()} ${formatCount(countOf(series, layer))}`)
  return `Deliveries and failures over time: ${words.join(', ')}`
}
