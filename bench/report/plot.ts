/** The growth of the log as an SVG: latency of a page and ingest rate against the number of events stored. */

export interface CurvePoint {
  /** Events stored. */
  readonly events: number
  /** Events per second during the last part. */
  readonly ingest: { readonly ours: number; readonly peer: number | null }
  /** The newest page, median: ours over HTTP, the peer's the query alone. */
  readonly pageMs: { readonly ours: number; readonly peer: number | null }
}

const WIDTH = 920
const HEIGHT = 380
const PANEL = { width: 300, height: 230, top: 84, gap: 460, left: 64 }
const TICKS = 5
const LINE_HEIGHT = 15

/** Light unless the viewer prefers dark. */
const STYLE = `
  svg { --text: #1f2328; --muted: #59636e; --grid: #d8dee4; --ours: #0b7285; --peer: #c2410c; --back: #ffffff }
  @media (prefers-color-scheme: dark) {
    svg { --text: #e6edf3; --muted: #9198a1; --grid: #30363d; --ours: #3bc9db; --peer: #ff9a5c; --back: #0d1117 }
  }
  text { font: 12px system-ui, -apple-system, 'Segoe UI', sans-serif; fill: var(--muted) }
  .title { font-size: 15px; font-weight: 600; fill: var(--text) }
  .grid { stroke: var(--grid); stroke-width: 1 }
  .line { fill: none; stroke-width: 2.25; stroke-linejoin: round; stroke-linecap: round }
  .ours { stroke: var(--ours) } .peer { stroke: var(--peer) }
  .dot { stroke: var(--back); stroke-width: 1.5 }
  .dot.ours, .name.ours { fill: var(--ours) } .dot.peer, .name.peer { fill: var(--peer) }
  .name { font-weight: 600; stroke: none }
  .back { fill: var(--back); stroke: var(--grid) }`

interface Series {
  readonly side: 'ours' | 'peer'
  readonly name: string
  readonly values: readonly number[]
}

interface Panel {
  readonly title: string
  readonly subtitle: string
  readonly events: readonly number[]
  readonly series: readonly Series[]
}

export function drawGrowth(points: readonly CurvePoint[]): string {
  const events = points.map((point) => point.events)
  const panels: readonly Panel[] = [
    {
      title: 'The newest page, median in milliseconds',
      subtitle: 'Envelog over HTTP, PostgreSQL the query alone',
      events,
      series: toSeries(points.map(({ pageMs }) => pageMs)),
    },
    {
      title: 'Ingest, events per second',
      subtitle: 'Envelog over HTTP in posts of 100, PostgreSQL COPY of 1000',
      events,
      series: toSeries(points.map(({ ingest }) => ingest)),
    },
  ]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Latency and ingest rate against the number of events stored">
<style>${STYLE}
</style>
<rect class="back" x="0.5" y="0.5" width="${WIDTH - 1}" height="${HEIGHT - 1}" rx="8"/>
${panels.map(drawPanel).join('\n')}
</svg>
`
}

function toSeries(values: readonly { readonly ours: number; readonly peer: number | null }[]): readonly Series[] {
  const peers = values.flatMap(({ peer }) => (peer === null ? [] : [peer]))
  return [
    { side: 'ours', name: 'Envelog', values: values.map(({ ours }) => ours) },
    ...(peers.length === values.length ? [{ side: 'peer', name: 'PostgreSQL', values: peers } as const] : []),
  ]
}

function drawPanel({ title, subtitle, events, series }: Panel, index: number): string {
  const { width, height, top, gap, left } = PANEL
  const xMax = events.at(-1) ?? 1
  const yTicks = niceTicks(Math.max(...series.flatMap(({ values }) => values)))
  const yMax = yTicks.at(-1) ?? 1
  const x = (value: number) => round((value / xMax) * width)
  const y = (value: number) => round(height - (value / yMax) * height)
  const xTicks = niceTicks(xMax).filter((tick) => tick <= xMax)
  return `<g transform="translate(${left + index * gap} ${top})">
<text class="title" x="-40" y="-52">${title}</text>
<text x="-40" y="-34">${subtitle}</text>
${yTicks.map((tick) => `<line class="grid" x1="0" x2="${width}" y1="${y(tick)}" y2="${y(tick)}"/><text x="-8" y="${y(tick) + 4}" text-anchor="end">${toShort(tick)}</text>`).join('\n')}
${xTicks.map((tick) => `<text x="${x(tick)}" y="${height + 20}" text-anchor="middle">${toShort(tick)}</text>`).join('\n')}
<text x="${width / 2}" y="${height + 42}" text-anchor="middle">events stored</text>
${series.map((line) => drawLine(line, events, x, y)).join('\n')}
${drawNames(series, width + 10, y)}
</g>`
}

type Scale = (value: number) => number

function drawLine({ side, values }: Series, events: readonly number[], x: Scale, y: Scale): string {
  const points = values.map((value, index) => ({ x: x(events[index] ?? 0), y: y(value) }))
  return `<polyline class="line ${side}" points="${points.map((point) => `${point.x},${point.y}`).join(' ')}"/>
${points.map((point) => `<circle class="dot ${side}" cx="${point.x}" cy="${point.y}" r="3.5"/>`).join('')}`
}

/** Each name follows the last point of its line; two that are close are moved apart. */
function drawNames(series: readonly Series[], x: number, y: Scale): string {
  const ends = series.map((line) => ({ ...line, end: y(line.values.at(-1) ?? 0) })).toSorted((a, b) => a.end - b.end)
  let above = Number.NEGATIVE_INFINITY
  return ends
    .map(({ side, name, end }) => {
      above = Math.max(end, above + LINE_HEIGHT)
      return `<text class="name ${side}" x="${x}" y="${above + 4}">${name}</text>`
    })
    .join('\n')
}

/** From zero up to the first round number that is not below the value. */
function niceTicks(max: number): readonly number[] {
  const rough = max / TICKS
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power
  return Array.from({ length: Math.ceil(max / step) + 1 }, (_, index) => Number((index * step).toPrecision(6)))
}

function toShort(value: number): string {
  if (value >= 1e6) return `${Number((value / 1e6).toFixed(2))} M`
  return value >= 1e4 ? `${Number((value / 1e3).toFixed(1))} k` : value.toLocaleString('en-US')
}

function round(value: number): number {
  return Number(value.toFixed(1))
}
