/** What the chart of the overview is drawn from: layers that stand on each other, and the look of the page. */
import type uPlot from 'uplot'
import type { Series } from '../../../src/http/v1/series.wire.ts'
import type { EventType } from '../kit/event-kinds.ts'
import { formatDayOfMonth, formatShortClock, formatShortCount } from '../kit/format.ts'

export interface Layer {
  readonly label: string
  readonly tone: string
  readonly types: readonly EventType[]
}

/** From the bottom up. */
export const LAYERS: readonly Layer[] = [
  { label: 'Delivered', tone: 'green', types: ['Delivery'] },
  { label: 'Deferred', tone: 'amber', types: ['TransientFailure', 'Delayed'] },
  { label: 'Bounced', tone: 'red', types: ['Bounce', 'OOBBounce'] },
  { label: 'Complaints', tone: 'violet', types: ['Feedback'] },
]

export const BUCKET_MS = { hour: 3_600_000, day: 86_400_000 } as const
export const HEIGHT_PX = 220

export function countAt({ series }: Series, { types }: Layer, index: number): number {
  return types.reduce((sum, type) => sum + (series.find(({ key }) => key === type)?.counts[index] ?? 0), 0)
}

/** Each layer stands on those below it; drawn from the top one down, so that each covers the feet of the one above. */
export function plotData(series: Series, layers: readonly Layer[]): uPlot.AlignedData {
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

export function plotOptions(
  element: HTMLElement,
  layers: readonly Layer[],
  { onHover, onClick }: Handlers,
): uPlot.Options {
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
