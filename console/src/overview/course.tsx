/** The course of things as stacked areas. A click opens the log where it was clicked. */
import { useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { useLocation } from 'wouter'
import type { Series } from '../../../src/http/v1/series.wire.ts'
import { watchTheme } from '../frame/theme.ts'
import { EVENT_KINDS, type EventType } from '../kit/event-kinds.ts'
import { formatCount, formatDayOfMonth, formatShortClock, formatShortCount, formatWeekday } from '../kit/format.ts'
import { logLink } from '../log/log-search.ts'

interface Layer {
  readonly label: string
  readonly tone: string
  readonly types: readonly EventType[]
}

/** From the bottom up. */
const LAYERS: readonly Layer[] = [
  { label: 'Delivered', tone: 'green', types: ['Delivery'] },
  { label: 'Deferred', tone: 'amber', types: ['TransientFailure', 'Delayed'] },
  { label: 'Bounced', tone: 'red', types: ['Bounce', 'OOBBounce'] },
  { label: 'Complaints', tone: 'violet', types: ['Feedback'] },
]

const BUCKET_MS = { hour: 3_600_000, day: 86_400_000 } as const
const HEIGHT_PX = 220

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
      optionsOf(element, shown, { onHover: setHovered, onClick: (index) => open.current?.(index) }),
      dataOf(series, shown),
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

function countAt({ series }: Series, { types }: Layer, index: number): number {
  return types.reduce((sum, type) => sum + (series.find(({ key }) => key === type)?.counts[index] ?? 0), 0)
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

/** Each layer stands on those below it; drawn from the top one down, so that each covers the feet of the one above. */
function dataOf(series: Series, layers: readonly Layer[]): uPlot.AlignedData {
  const below = series.times.map(() => 0)
  const stacked = layers.map((layer) =>
    below.map((base, index) => {
      below[index] = base + countAt(series, layer, index)
      return below[index] ?? 0
    }),
  )
  return [series.times.map((time) => Date.parse(time) / 1000), ...stacked.toReversed()]
}

interface Handlers {
  readonly onHover: (index: number | undefined) => void
  readonly onClick: (index: number) => void
}

function optionsOf(element: HTMLElement, layers: readonly Layer[], { onHover, onClick }: Handlers): uPlot.Options {
  const color = (name: string) => readColor(element, name)
  const [text, line, ground] = [color('--text-3'), color('--line'), color('--bg')]
  const axis = {
    stroke: text,
    font: `11px ${getComputedStyle(element).fontFamily}`,
    grid: { stroke: line, width: 1 },
    ticks: { show: false },
  }
  return {
    width: element.clientWidth,
    height: HEIGHT_PX,
    padding: [8, 24, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      points: { show: false },
      drag: { x: false, y: false },
    },
    hooks: {
      setCursor: [(plot) => onHover(plot.cursor.idx ?? undefined)],
      ready: [
        (plot) =>
          plot.over.addEventListener('click', () => {
            if (plot.cursor.idx != null) onClick(plot.cursor.idx)
          }),
      ],
    },
    scales: { y: { range: (_plot, _least, most) => [0, Math.max(4, most * 1.05)] } },
    axes: [
      { ...axis, grid: { show: false }, size: 28, space: 72, values: (_plot, times) => times.map(tickOf) },
      { ...axis, size: 44, space: 36, values: (_plot, counts) => counts.map(formatShortCount) },
    ],
    series: [
      {},
      ...layers.toReversed().map(({ label, tone }) => ({
        label,
        stroke: color(`--${tone}`),
        // Over the page's ground, because the layer below must not shine through.
        fill: mix(color(`--${tone}`), ground),
        width: 1.25,
        points: { show: false },
      })),
    ],
  }
}

function tickOf(seconds: number): string {
  const time = new Date(seconds * 1000)
  return time.getHours() === 0 && time.getMinutes() === 0
    ? formatDayOfMonth(seconds * 1000)
    : formatShortClock(seconds * 1000)
}

/** A canvas knows no custom properties: the browser works the colour out. */
function readColor(element: HTMLElement, name: string): string {
  const probe = document.createElement('i')
  probe.style.color = `var(${name})`
  element.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

function mix(color: string, ground: string): string {
  const [one, other] = [color, ground].map((text) => text.match(/[\d.]+/g)?.map(Number) ?? [])
  const channels = [0, 1, 2].map((index) => Math.round((one?.[index] ?? 0) * 0.34 + (other?.[index] ?? 0) * 0.66))
  return `rgb(${channels.join(' ')})`
}
