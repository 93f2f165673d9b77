/** Heights of the parts of a stacked bar. */
import { EVENT_TYPES, type EventType } from '../../kit/marks/event-kinds.ts'
import type { Bin } from './bin-series.ts'

/** Of the height of the histogram: a single bounce among thousands of deliveries can still be seen. */
const MIN_SHARE = 0.03

export interface BarPart {
  readonly type: EventType
  readonly height: number
}

/**
 * `max`: the count of a bar of height 1. What small parts get is taken from the largest one, so that the bar keeps its height; in
 * a low bar they share half of it.
 */
export function barParts({ counts }: Pick<Bin, 'counts'>, max: number): readonly BarPart[] {
  const parts = EVENT_TYPES.flatMap((type) => {
    const { [type]: count = 0 } = counts
    return count > 0 ? [{ type, share: count / max }] : []
  })
  const largest = parts.reduce((one, other) => (other.share > one.share ? other : one), { share: 0 })
  const total = Math.max(
    MIN_SHARE,
    parts.reduce((sum, { share }) => sum + share, 0),
  )
  const min = Math.min(MIN_SHARE, total / 2 / parts.length)
  const others = parts.reduce((sum, part) => (part === largest ? sum : sum + Math.max(min, part.share)), 0)
  return parts.map((part) => ({
    type: part.type,
    height: part === largest ? Math.max(min, total - others) : Math.max(min, part.share),
  }))
}

/** The end of the scale: a round number, at least the largest count. */
export function roundUp(count: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, count)))
  return Math.ceil(([1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((factor) => factor * power >= count) ?? 10) * power)
}
