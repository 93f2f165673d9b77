/** The order of providers and sending addresses, worst first, and which of their shares are abnormal. */
import { type Definitions, type FigureId, type Totals, wholeOf } from '../api/figures.ts'
import { COMPLAINT_LIMITS } from './complaint-limits.ts'

/** Failures that matter, with the shares from which they are worth a look, and alarming. */
export const FAILURE_LIMITS = {
  bounced: { target: 0.05, max: 0.1 },
  late_bounces: { target: 0.02, max: 0.05 },
  deferred: { target: 0.2, max: 0.5 },
  complaints: COMPLAINT_LIMITS,
} as const satisfies { readonly [id in FigureId]?: { readonly target: number; readonly max: number } }

export type Failure = keyof typeof FAILURE_LIMITS
export const FAILURES = Object.keys(FAILURE_LIMITS) as readonly Failure[]

/** Fewer attempts say nothing about a share. */
export const ATTEMPTS_MIN = 20

export interface Provider {
  readonly provider: string
  readonly totals: Totals
}

export function toneOfShare(definitions: Definitions, totals: Totals, id: Failure): 'red' | 'amber' | undefined {
  if (attemptsOf(definitions, totals) < ATTEMPTS_MIN) return undefined
  const share = shareOf(definitions, totals, id)
  const { target, max } = FAILURE_LIMITS[id]
  return share >= max ? 'red' : share >= target ? 'amber' : undefined
}

/** By the share that is furthest above its limit; those with few attempts last; then by volume. */
export function rankRows<Row extends Pick<Provider, 'totals'>>(
  definitions: Definitions,
  rows: readonly Row[],
): readonly Row[] {
  const rated = rows.map((row) => {
    const attempts = attemptsOf(definitions, row.totals)
    const worst = Math.max(...FAILURES.map((id) => shareOf(definitions, row.totals, id) / FAILURE_LIMITS[id].max))
    // Below a tenth of its limit, a share is nothing to sort by.
    return { row, attempts, badness: attempts < ATTEMPTS_MIN ? -1 : worst < 0.1 ? 0 : worst }
  })
  return rated.toSorted((a, b) => b.badness - a.badness || b.attempts - a.attempts).map(({ row }) => row)
}

function attemptsOf(definitions: Definitions, totals: Totals): number {
  return wholeOf(definitions.deferred, totals) ?? 0
}

/** Events of failures can outnumber what they are a share of, if those were earlier. */
function shareOf(definitions: Definitions, totals: Totals, id: Failure): number {
  const count = totals[id] ?? 0
  return count === 0 ? 0 : Math.min(1, count / Math.max(1, wholeOf(definitions[id], totals) ?? 0))
}
