/** Deliveries and failures over time as stacked areas. A click opens the log at that time. */
import { useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { useLocation } from 'wouter'
import type { Series } from '../../../src/http/v1/statistics/series.wire.ts'
import { BUCKET_MS } from '../api/series.ts'
import { watchTheme } from '../frame/theme.ts'
import { formatCount, formatShortClock, formatWeekday } from '../kit/text/format.ts'
import { countOf, HEIGHT_PX, LAYERS, plotData, plotOptions } from './chart-plot.ts'
import { type OverviewSearch, overviewLink } from './overview-search.ts'

export default function Chart({ series, search }: { readonly series: Series; readonly search: OverviewSearch }) {
  const container = useRef<HTMLDivElement>(null)
  const [hidden, setHidden] = useState<readonly string[]>([])
  const [hovered, setHovered] = useState<number>()
  const [themes, setThemes] = useState(0)
  const [, navigate] = useLocation()
  const shown = LAYERS.filter(({ label }) => !hidden.includes(label))
  const open = useRef<(index: number) => void>(undefined)
  open.current = (index) => {
    const fromMs = Date.parse(series.times[index] ?? '')
    if (Number.isNaN(fromMs)) return
    const types = shown.flatMap((layer) => layer.types)
    navigate(overviewLink(search, { fromMs, toMs: fromMs + BUCKET_MS[series.bucket] }, types))
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
        {LAYERS.map((layer) => (
          <button
            key={layer.label}
            type="button"
            className={`button button-quiet legend tone-${layer.tone}`}
            aria-pressed={!hidden.includes(layer.label)}
            onClick={() => setHidden(toggle(hidden, layer.label))}
          >
            <i className="swatch" />
            {layer.label}
            <b>{formatCount(countOf(series, layer, hovered))}</b>
          </button>
        ))}
        <span className="push small muted">{hovered === undefined ? '' : timeOf(series, hovered)}</span>
      </div>
      <div ref={container} className="chart-area" role="img" aria-label={describe(series)} />
    </>
  )
}

function toggle(hidden: readonly string[], label: string): readonly string[] {
  if (hidden.includes(label)) return hidden.filter((other) => other !== label)
  // The last layer cannot be hidden: the chart would be empty.
  return hidden.length === LAYERS.length - 1 ? hidden : [...hidden, label]
}

function timeOf({ times, bucket }: Series, index: number): string {
  const timeMs = Date.parse(times[index] ?? '')
  if (Number.isNaN(timeMs)) return ''
  const until = bucket === 'hour' ? ` ${formatShortClock(timeMs)} – ${formatShortClock(timeMs + BUCKET_MS.hour)}` : ''
  return `${formatWeekday(timeMs)}${until}`
}

function describe(series: Series): string {
  const words = LAYERS.map((layer) => `${layer.label.toLowerCase()} ${formatCount(countOf(series, layer))}`)
  return `Deliveries and failures over time: ${words.join(', ')}`
}
