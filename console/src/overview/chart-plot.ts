/** Data and options of the overview's chart: stacked layers in the page's colours. */
import uPlot from 'uplot'
import type { Series } from '../../../src/http/v1/statistics/series.wire.ts'
import type { Definitions, Figure, FigureId } from '../api/figures.ts'
import { DAY_MS } from '../api/series.ts'
import { formatDayOfMonth, formatShortClock, formatShortCount } from '../kit/text/format.ts'
import { currentZone, offsetMs } from '../kit/text/zone.ts'

/** A figure in its colour. */
export interface Layer extends Figure {
  readonly tone: string
}

/** From bottom to top. */
const TONES: readonly (readonly [FigureId, string])[] = [
  ['delivered', 'green'],
  ['deferred', 'amber'],
  ['bounced', 'red'],
  ['late_bounces', 'rose'],
  ['complaints', 'violet'],
]

export function listLayers(figures: Definitions): readonly Layer[] {
  return TONES.map(([id, tone]) => ({ ...figures[id], tone }))
}

export const HEIGHT_PX = 220

/** The count of a layer in one bucket, or in all of them. */
export function countOf({ series }: Series, { id }: Layer, index?: number): number {
  const counted = series.find(({ key }) => key === id)
  return (index === undefined ? counted?.total : counted?.counts[index]) ?? 0
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
    // The axis names whole hours and days of the page's zone.
    ...(currentZone() === 'utc' && { tzDate: (seconds: number) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC') }),
    cursor: {
      y: false,
      points: { show: false },
      drag: { x: false, y: false },
    },
    hooks: {
      draw: [(plot) => veilUnfinished(plot, background, text)],
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
      ...layers.toReversed().map(({ title, tone }) => ({
        label: title,
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
  const timeMs = seconds * 1000
  const isMidnight = (timeMs + offsetMs(timeMs)) % DAY_MS === 0
  return isMidnight ? formatDayOfMonth(timeMs) : formatShortClock(timeMs)
}

/** The last hour or day is not over: it is drawn pale, behind a dashed line, so that its end does not look like a decline. */
function veilUnfinished(plot: uPlot, background: string, line: string): void {
  const {
    ctx,
    bbox,
    data: [times],
  } = plot
  const [from, to] = times.slice(-2).map((time) => plot.valToPos(time, 'x', true))
  if (from === undefined || to === undefined) return
  ctx.save()
  ctx.globalAlpha = 0.65
  ctx.fillStyle = background
  ctx.fillRect(from, bbox.top, to - from + 2, bbox.height)
  ctx.globalAlpha = 1
  ctx.strokeStyle = line
  ctx.setLineDash([3, 3])
  ctx.beginPath()
  ctx.moveTo(from, bbox.top)
  ctx.lineTo(from, bbox.top + bbox.height)
  ctx.stroke()
  ctx.restore()
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
