/** The course of things as stacked areas. A click opens the log where it was clicked. */
import { useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { useLocation } from 'wouter'
import type { Series } from '../../../src/http/v1/series.wire.ts'
import { watchTheme } from '../frame/theme.ts'
import { EVENT_KINDS } from '../kit/event-kinds.ts'
import { formatCount, formatShortClock, formatWeekday } from '../kit/format.ts'
import { logLink } from '../log/log-search.ts'
import { BUCKET_MS, countAt, HEIGHT_PX, LAYERS, type Layer, plotData, plotOptions } from './course-plot.ts'

interface CourseProps {
  readonly series: Series
  readonly domain: string
}

export default function Course({ series, domain }: CourseProps) {
  const place = useRef<HTMLDivElement>(null)
  const [hidden, setHidden] = useState<readonly string[]>([])
  const [hovered, setHovered] = useState<number>()
  const [themes, setThemes] = useState(0)
  const [, navigate] = useLocation()
  const shown = LAYERS.filter(({ label }) => !hidden.includes(label))
  const open = useRef<(index: number) => void>(undefined)
  open.current = (index) => {
    const fromMs = Date.parse(series.times[index] ?? '')
    if (Number.isNaN(fromMs)) return
    const window = { from: iso(fromMs), to: iso(fromMs + BUCKET_MS[series.bucket]) }
    navigate(
      logLink({
        filters: { type: shown.flatMap(({ types }) => types), ...(domain !== '' && { domain: [domain] }) },
        window,
      }),
    )
  }
  useEffect(() => watchTheme(() => setThemes((count) => count + 1)), [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: painted anew when the colours change; `shown` follows from `hidden`
  useEffect(() => {
    if (!place.current) return
    const element = place.current
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
      <div className="course-legend">
        {LAYERS.map((layer) => (
          <button
            key={layer.label}
            type="button"
            className={`legend tone-${layer.tone}`}
            aria-pressed={!hidden.includes(layer.label)}
            onClick={() => setHidden(toggle(hidden, layer.label))}
          >
            <i className="swatch" />
            {layer.label}
            <b>{formatCount(hovered === undefined ? totalOf(series, layer) : countAt(series, layer, hovered))}</b>
          </button>
        ))}
        <span className="course-time muted">{hovered === undefined ? '' : timeOf(series, hovered)}</span>
      </div>
      <div ref={place} className="course-space" role="img" aria-label={describe(series)} />
    </>
  )
}

const iso = (timeMs: number) => new Date(timeMs).toISOString()

function toggle(hidden: readonly string[], label: string): readonly string[] {
  if (hidden.includes(label)) return hidden.filter((other) => other !== label)
  // The last one stays: an empty chart says nothing.
  return hidden.length === LAYERS.length - 1 ? hidden : [...hidden, label]
}

function totalOf({ series }: Series, { types }: Layer): number {
  return types.reduce((sum, type) => sum + (series.find(({ key }) => key === type)?.total ?? 0), 0)
}

function timeOf({ times, bucket }: Series, index: number): string {
  const timeMs = Date.parse(times[index] ?? '')
  if (Number.isNaN(timeMs)) return ''
  const until = bucket === 'hour' ? ` ${formatShortClock(timeMs)} – ${formatShortClock(timeMs + BUCKET_MS.hour)}` : ''
  return `${formatWeekday(timeMs)}${until}`
}

function describe(series: Series): string {
  const words = LAYERS.map((layer) => `${layer.label.toLowerCase()} ${formatCount(totalOf(series, layer))}`)
  return `${EVENT_KINDS.Delivery.label} and failures over time: ${words.join(', ')}`
}
