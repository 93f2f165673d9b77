/** Data and options of the overview's chart: stacked layers in the page's colours. */
import type uPlot from 'uplot'
import type { Series } from '../../../src/http/v1/statistics/series.wire.ts'
import { sum } from '../api/series.ts'
import type { EventType } from '../kit/marks/event-kinds.ts'
import { formatDayOfMonth, formatShortClock, formatShortCount } from '../kit/text/format.ts'

export interface Layer {
  readonly label: string
  readonly tone: string
  readonly types: readonly EventType[]
}

/** From bottom to top. */
export const LAYERS: readonly Layer[] = [
  { label: 'Delivered', tone: 'green', types: ['Delivery'] },
  { label: 'Deferred', tone: 'amber', types: ['TransientFailure', 'Delayed'] },
  { label: 'Bounced', tone: 'red', types: ['Bounce', 'OOBBounce'] },
  { label: 'Complaints', tone: 'violet', types: ['Feedback'] },
]

export const HEIGHT_PX = 220

/** The count of a layer in one bucket, or in all of them. */
export function countOf({ series }: Series, { types }: Layer, index?: number): number {
  const layer = series.filter(({ key }) => types.some((type) => type === key))
  return sum(layer.map(({ total, counts }) => (index === undefined ? total : (counts[index] ?? 0))))
}

/** Each layer adds to those below it. The top one is drawn first, so that each covers the base of the one above. */
export function plotData(series: Series, layers: readonly Layer[]): uPlot.AlignedData {
  const below = series.times.map(() => 0)
  const stacked = layers.map((layer) =>
    below.map((base, index) => {
      below[index] = base + countOf(series, layer, index)
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
  const [text, line, background] = [color('--text-3'), color('--line'), color('--bg')]
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
    scales: { y: { range: (_plot, _min, max) => [0, Math.max(4, max * 1.05)] } },
    axes: [
      { ...axis, grid: { show: false }, size: 28, space: 72, values: (_plot, times) => times.map(tickOf) },
      { ...axis, size: 44, space: 36, values: (_plot, counts) => counts.map(formatShortCount) },
    ],
    series: [
      {},
      ...layers.toReversed().map(({ label, tone }) => ({
        label,
        stroke: color(`--${tone}`),
        // Opaque, so that the layer behind does not show through.
        fill: `color-mix(in srgb, ${color(`--${tone}`)} 34%, ${background})`,
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

/** A canvas cannot use custom properties, so the browser resolves the colour. */
function readColor(element: HTMLElement, name: string): string {
  const probe = document.createElement('i')
  probe.style.color = `var(${name})`
  element.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
