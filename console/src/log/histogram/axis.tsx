/** The time axis below the histogram, in the zone of the page. */
import { listTicks } from '../../kit/text/time-ticks.ts'
import type { Bin } from './bin-series.ts'

/** As many as fit on a telephone; on wider screens the space between them grows. */
const MOST = 6

export function Axis({ bins }: { readonly bins: readonly Bin[] }) {
  const [first, last] = [bins[0], bins.at(-1)]
  if (!first || !last) return <div className="histogram-axis" />
  const lengthMs = last.toMs - first.fromMs
  return (
    <div className="histogram-axis muted" aria-hidden="true">
      {listTicks(first.fromMs, last.toMs, MOST).map(({ timeMs, label }) => {
        const share = (timeMs - first.fromMs) / lengthMs
        const side = share < 0.06 ? 'start' : share > 0.94 ? 'end' : 'middle'
        return (
          <span key={timeMs} data-side={side} style={{ left: `${share * 100}%` }}>
            {label}
          </span>
        )
      })}
    </div>
  )
}
